import { z } from 'zod'
import { Device } from './device.js'
import { NodeState, Severity } from './node.js'
import { StoragePolicy } from './storage-policy.js'
import { relationUri, ResourceUri } from './dialect/uri.js'

const count = z.number().nullable()

/** Nodes that have the same file of a ring. */
export const RingCopies = z.object({
  md5: z.string().meta({ description: 'MD5 of the ring file, as reported by /recon/ringmd5 and md5sum' }),
  version: z.number().nullable(),
  nodes: z.array(relationUri('nodes')),
})

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

export const PolicyHealth = z.object({
  index: z.number(),
  agree: z.boolean().meta({ description: 'Whether all nodes that have this policy define it in the same way' }),
  copies: z
    .array(PolicyCopies)
    .meta({ description: 'Sorted by the number of nodes, the most common definition first' }),
})
export type PolicyHealth = z.infer<typeof PolicyHealth>

export const Quarantined = z.object({
  accounts: count,
  containers: count,
  objects: count,
  objects_by_policy: z
    .record(z.string(), z.number())
    .meta({ description: 'Objects by the index of their storage policy; empty while unknown' }),
})
export type Quarantined = z.infer<typeof Quarantined>

/** `warn`: an operator should act in the next days. `critical`: data or service is at risk now. */
export const HealthVerdict = z.enum(['ok', 'warn', 'critical'])
export type HealthVerdict = z.infer<typeof HealthVerdict>

/** A check that found a problem, on one of the nodes or in the cluster. */
export const HealthReason = z.object({
  code: z.string().meta({ description: 'Code of the check, see docs/checks.md' }),
  severity: Severity,
  subject: z.string().meta({ description: 'Device, ring, policy, daemon, file or node that has the problem' }),
  message: z.string(),
  node: relationUri('nodes').nullable(),
  device: relationUri('devices').nullable(),
})

/** The end of the last pass of a replicator. */
export const ReplicationPass = z.object({
  node: relationUri('nodes'),
  ended: z.string().meta({ description: 'ISO 8601, UTC' }),
  age_seconds: z.number(),
})
export type ReplicationPass = z.infer<typeof ReplicationPass>

const passes = z.object({
  account: ReplicationPass.nullable(),
  container: ReplicationPass.nullable(),
  object: ReplicationPass.nullable(),
})

const ages = z.object({ account: count, container: count, object: count })

export const UnmountedDevice = z.object({
  device: relationUri('devices'),
  node: relationUri('nodes'),
  name: z.string(),
  status: Device.shape.status,
})
export type UnmountedDevice = z.infer<typeof UnmountedDevice>

export const NodeHealth = z.object({
  node: relationUri('nodes'),
  hostname: z.string(),
  state: NodeState,
  swift_version: z.string().nullable().meta({ description: 'As reported by a storage server of the node' }),
  rings: z.record(z.string(), z.string()).meta({ description: 'MD5 of each ring file, by the name of the ring' }),
  async_pending: count,
  replication_age_seconds: ages,
  quarantined: Quarantined,
  unmounted: count.meta({ description: 'Number of devices that are not mounted, as reported by Swift' }),
})
export type NodeHealth = z.infer<typeof NodeHealth>

const node = '/api/v1/nodes/3/'
const md5 = 'd41d8cd98f00b204e9800998ecf8427e'
const policyCopy = {
  name: 'gold',
  is_default: true,
  is_deprecated: false,
  type: 'replication',
  aliases: [],
  nodes: [node],
}
const quarantined = { accounts: 0, containers: 0, objects: 1, objects_by_policy: { '0': 1 } }
const reason = {
  code: 'device_unmounted',
  severity: 'warning' as const,
  subject: 'd5',
  message: 'The device d5 of store-1 is not mounted. Mount it, or remove it from the rings.',
  node,
  device: '/api/v1/devices/9/',
}
const pass = { node, ended: '2026-11-20T10:33:15Z', age_seconds: 27.5 }

/** The health of a cluster. Values that no node reports are null. */
export const ClusterHealth = z
  .object({
    cluster: ResourceUri,
    verdict: HealthVerdict.meta({
      description: '`critical` if any reason is, `warn` if there are others, `ok` if there are none',
    }),
    reasons: z.array(HealthReason).meta({
      description: 'Problems of the cluster and its nodes, the critical ones first; at most 1,000',
    }),
    reason_count: z.int(),
    rings_agree: z.boolean(),
    rings: z.array(RingHealth),
    policies_agree: z.boolean(),
    policies: z.array(PolicyHealth),
    async_pending: count.meta({ description: 'Pending container updates (async_pending) of all nodes' }),
    oldest_replication: passes.meta({
      description: 'For each server type, the node whose last replication pass ended longest ago',
    }),
    quarantined: Quarantined,
    unmounted: z
      .array(UnmountedDevice)
      .meta({ description: 'Ring devices that are unmounted, missing or failed, sorted by node and name' }),
    nodes: z.array(NodeHealth).meta({ description: 'Every node that has a ring, sorted by id' }),
  })
  .meta({
    id: 'ClusterHealth',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        verdict: 'warn',
        reasons: [reason],
        reason_count: 1,
        rings_agree: true,
        rings: [{ name: 'object', agree: true, copies: [{ md5, version: 7, nodes: [node] }] }],
        policies_agree: true,
        policies: [{ index: 0, agree: true, copies: [policyCopy] }],
        async_pending: 2,
        oldest_replication: { account: pass, container: pass, object: pass },
        quarantined,
        unmounted: [{ device: '/api/v1/devices/9/', node, name: 'd5', status: 'unmounted' }],
        nodes: [
          {
            node,
            hostname: 'store-1',
            state: 'online',
            swift_version: '2.30.1',
            rings: { object: md5 },
            async_pending: 2,
            replication_age_seconds: { account: 27.5, container: 27.5, object: 27.5 },
            quarantined,
            unmounted: 1,
          },
        ],
      },
    ],
  })
export type ClusterHealth = z.infer<typeof ClusterHealth>
