import { z } from 'zod'
import { blankKey, maxId, relationUri, ResourceUri } from './dialect/uri.js'

const description = (text: string) => ({ description: text })
const generation = z.int().min(1).max(maxId)

/** What is deployed to a node: the shares of a gateway, or the users of a proxy. */
export const GenerationKind = z.enum(['gateway', 'user_db'])
export type GenerationKind = z.infer<typeof GenerationKind>

const Generation = z.object({
  generation,
  created: z.iso.datetime(),
  is_desired: z.boolean().meta(description('Whether it is the one that was deployed last')),
  is_in_force: z.boolean().meta(description('Whether the node has it, as it reported')),
  action: z
    .enum(['deploy', 'return', 'adopt', 'reapply'])
    .nullable()
    .meta(
      description(
        'What made it: a deployment, a deployment of an earlier generation, or the resolution of drift. This field and the next three are null where that is no longer known',
      ),
    ),
  operator: z.string().nullable().meta(description('Name of the operator who made it')),
  job: ResourceUri.nullable().meta(description('The deployment that made it')),
  returned_to: generation.nullable().meta(description('The earlier generation whose content it has')),
  records: z.int().nullable().meta(description('Number of its shares or users; null if they cannot be decrypted')),
})

/** The generations of a node that are stored, to return to. */
export const Generations = z
  .object({
    node: relationUri('nodes'),
    kind: GenerationKind,
    desired: z.int().meta(description('The generation that was deployed last; 0 before the first')),
    in_force: z.int().meta(description('The generation that the node has; 0 before the first')),
    generations: z.array(Generation).meta(description('The last 20, and the one in force; the newest first')),
  })
  .meta({
    id: 'Generations',
    examples: [
      {
        node: '/api/v1/nodes/7/',
        kind: 'gateway',
        desired: 5,
        in_force: 5,
        generations: [
          {
            generation: 5,
            created: '2026-11-24T10:00:00.000Z',
            is_desired: true,
            is_in_force: true,
            action: 'return',
            operator: 'alice',
            job: '/api/v1/gateway_deployments/9/',
            returned_to: 3,
            records: 2,
          },
        ],
      },
    ],
  })
export type Generations = z.infer<typeof Generations>

const value = z.union([z.string(), z.number(), z.boolean()]).nullable()

const FieldDifference = z.object({
  field: z.string(),
  before: value,
  after: value.meta(description('For secrets both values are ***, which shows only that they changed')),
})

/** A share, a user or a login that differs between two states of a node. */
export const RecordDifference = z.object({
  type: z
    .enum(['share', 'user', 'blocked_user', 'storage_login'])
    .meta(
      description(
        'blocked_user: a line of an adopted user in the configuration of the proxies, with which no client may log in any more',
      ),
    ),
  id: z.int().nullable().meta(description('Of a share')),
  name: z.string().meta({ description: 'Empty for the storage login', [blankKey]: true }),
  change: z.enum(['added', 'changed', 'removed']),
  fields: z.array(FieldDifference).meta(description('Of a share or user that is changed')),
})
export type RecordDifference = z.infer<typeof RecordDifference>

const exampleDifference = {
  type: 'share' as const,
  id: 3,
  name: 'projects',
  change: 'changed' as const,
  fields: [{ field: 'access_mode', before: 'rw', after: 'ro' }],
}

/** What differs between two generations of a node. */
export const GenerationDiff = z
  .object({
    node: relationUri('nodes'),
    kind: GenerationKind,
    a: generation,
    b: generation,
    differences: z.array(RecordDifference).meta(description('From a to b')),
  })
  .meta({
    id: 'GenerationDiff',
    examples: [{ node: '/api/v1/nodes/7/', kind: 'gateway', a: 3, b: 4, differences: [exampleDifference] }],
  })
export type GenerationDiff = z.infer<typeof GenerationDiff>

const PendingChange = RecordDifference.extend({
  kind: GenerationKind,
  nodes: z.array(relationUri('nodes')).meta(description('Those on which it is not in force, up to 20')),
  node_count: z.int().meta(description('Number of all nodes on which it is not in force')),
})
export type PendingChange = z.infer<typeof PendingChange>

/** Returns how many shares, users and logins these changes are of: where proxies differ, a user has several. */
export function recordsOfChanges(changes: readonly PendingChange[]): number {
  return new Set(changes.map(({ kind, type, id, name }) => JSON.stringify([kind, type, id ?? name]))).size
}

/** What a deployment to the cluster would change, by the states that its plan is made from. */
export const PendingChanges = z
  .object({
    cluster: relationUri('clusters'),
    count: z.int().meta(description('Number of the shares, users and logins that differ, each counted once')),
    changes: z
      .array(PendingChange)
      .meta(description('The first 1,000. A user that does not differ in the same way on all proxies has several')),
    unknown: z
      .array(z.object({ node: relationUri('nodes'), kind: GenerationKind, reason: z.string() }))
      .meta(description('Nodes whose states cannot be compared')),
  })
  .meta({
    id: 'PendingChanges',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        count: 1,
        changes: [{ ...exampleDifference, kind: 'gateway', nodes: ['/api/v1/nodes/7/'], node_count: 1 }],
        unknown: [],
      },
    ],
  })
export type PendingChanges = z.infer<typeof PendingChanges>
