import { z } from 'zod'
import { StoragePolicy } from './storage-policy.js'
import { relationUri } from './dialect/uri.js'

/** Null for nodes with an agent of 0.2. */
const fact = z.number().nullable()

/** Nodes that have the same file of a ring. */
export const RingCopies = z.object({
  md5: z.string().meta({ description: 'MD5 of the ring file, as reported by /recon/ringmd5 and md5sum' }),
  version: z.number().nullable(),
  nodes: z.array(relationUri('nodes')),
  devices: z.int(),
  partitions: z.int(),
  replicas: z.number(),
  balance: fact.meta({ description: 'Largest deviation of a device from its share of the partitions, in percent' }),
  dispersion: fact.meta({
    description: 'Replicas in a failure domain that has more of their partition than necessary, in percent',
  }),
  regions: fact,
  zones: fact,
  weight: fact.meta({ description: 'Sum of the weights of its devices' }),
  next_part_power: fact.meta({ description: 'Set while the part power is being increased' }),
  min_part_hours: fact.meta({ description: 'Of the builder file; null where no node has it' }),
  modified: z
    .string()
    .nullable()
    .meta({ description: 'When the file was written first on one of the nodes, ISO 8601, UTC' }),
})
export type RingCopies = z.infer<typeof RingCopies>

export const RingHealth = z.object({
  name: z.string().meta({ description: '`account`, `container`, `object`, `object-1` …' }),
  agree: z.boolean().meta({ description: 'Whether all nodes that have this ring have the same file' }),
  copies: z.array(RingCopies).meta({ description: 'Sorted by the number of nodes, the most common file first' }),
})
export type RingHealth = z.infer<typeof RingHealth>

/** Nodes that have the same definition of a policy. */
export const PolicyCopies = StoragePolicy.pick({
  name: true,
  is_default: true,
  is_deprecated: true,
  type: true,
}).extend({
  aliases: z.array(z.string()),
  nodes: z.array(relationUri('nodes')),
})

/** Nodes that have the same hash suffix and prefix in swift.conf. */
export const SwiftConfCopies = z.object({
  digest: z.string().meta({ description: 'Digest of both; the values are secret' }),
  nodes: z.array(relationUri('nodes')),
})

export const PolicyHealth = z.object({
  index: z.number(),
  ...StoragePolicy.pick({ replicas: true, ec: true, raw_bytes: true, usable_bytes: true }).shape,
  agree: z.boolean().meta({ description: 'Whether all nodes that have this policy define it in the same way' }),
  copies: z
    .array(PolicyCopies)
    .meta({ description: 'Sorted by the number of nodes, the most common definition first' }),
})
export type PolicyHealth = z.infer<typeof PolicyHealth>
