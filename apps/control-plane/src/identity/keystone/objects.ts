import { z } from 'zod'

const Id = z.string().min(1).max(64)
const Name = z.string().max(255)

/** The field of an object in Keystone by which we know that we have created it: the UUID of the cluster. */
export const ownerField = 'roost_cluster'
const Owner = z.unknown().optional()

export const KeystoneDomain = z.object({ id: Id, name: Name, enabled: z.boolean(), [ownerField]: Owner })
export type KeystoneDomain = z.infer<typeof KeystoneDomain>

export const KeystoneUser = z.object({ id: Id, name: Name, enabled: z.boolean(), [ownerField]: Owner })
export type KeystoneUser = z.infer<typeof KeystoneUser>

export const KeystoneProject = z.object({ id: Id, name: Name, enabled: z.boolean(), [ownerField]: Owner })
export type KeystoneProject = z.infer<typeof KeystoneProject>

export const KeystoneRole = z.object({ id: Id, name: Name, domain_id: z.string().nullable().optional() })

export const KeystoneGrant = z.object({
  role: z.object({ id: Id }),
  user: z.object({ id: Id }).optional(),
  scope: z.object({ project: z.object({ id: Id }).optional() }),
})

export const Created = z.object({ id: Id })
