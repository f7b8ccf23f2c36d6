import { z } from 'zod'
import { PolicyHealth, RingHealth, SwiftConfCopies } from './cluster-copies.js'
import { IdentityHealth } from './cluster/identity.js'
import { Device } from './device.js'
import { NodeState, Severity } from './node.js'
import { relationUri, ResourceUri } from './dialect/uri.js'

const count = z.number().nullable()

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

export const DrainedDevice = z.object({
  device: relationUri('devices'),
  node: relationUri('nodes'),
  name: z.string(),
  raw_bytes: count,
  used_bytes: count,
})
export type DrainedDevice = z.infer<typeof DrainedDevice>

/** A server or daemon of Swift on a node, also one that is up. */
export const ServiceHealth = z.object({
  name: z.string().meta({ description: 'Such as `object-server` or `object-updater`' }),
  file: z.string().meta({ description: 'The file or folder that configures it' }),
  address: z.string().nullable().meta({ description: 'On which a server listens; null for a daemon' }),
  state: z
    .enum(['up', 'down', 'off'])
    .meta({ description: '`off`: its unit is disabled, or it was never seen to run on this node' }),
  since: z.string().meta({ description: 'Since when its agent has seen that state, ISO 8601, UTC' }),
  age_seconds: z.number().meta({ description: 'Seconds since then' }),
})
export type ServiceHealth = z.infer<typeof ServiceHealth>

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
  services: z.array(ServiceHealth).nullable().meta({
    description:
      'As of its last inventory, which is sent as soon as a state changes. Null for nodes with an agent of 0.2',
  }),
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
const space = { replicas: 3, ec: null, raw_bytes: 54_000_000_000_000, usable_bytes: 18_000_000_000_000 }
const ringCopy = {
  md5,
  version: 7,
  nodes: [node],
  devices: 12,
  partitions: 262_144,
  replicas: 3,
  balance: 0.4,
  dispersion: 0,
  regions: 1,
  zones: 3,
  weight: 216_000,
  next_part_power: null,
  min_part_hours: 24,
  modified: '2026-11-02T08:00:00.000Z',
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
    maintenance: z
      .array(z.object({ node: relationUri('nodes'), hostname: z.string(), until: z.iso.datetime() }))
      .meta({ description: 'Nodes in maintenance. What concerns only these does not count for the verdict' }),
    rings_agree: z.boolean(),
    rings: z.array(RingHealth),
    swift_conf_agree: z.boolean().meta({ description: 'Whether all nodes have the same hash suffix and prefix' }),
    swift_conf: z.array(SwiftConfCopies).meta({ description: 'Sorted by the number of nodes' }),
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
    drained: z
      .array(DrainedDevice)
      .meta({ description: 'Devices with weight 0 in all of their rings, by node and name' }),
    drained_bytes: z.number().meta({ description: 'Raw bytes of the drained devices, which capacity still counts' }),
    identity: IdentityHealth.nullable().meta({
      description: 'The Keystone that has the users of the cluster, compared every ten minutes; null without one',
    }),
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
        maintenance: [],
        rings_agree: true,
        rings: [{ name: 'object', agree: true, copies: [ringCopy] }],
        swift_conf_agree: true,
        swift_conf: [{ digest: '5e884898da28047151d0e56f8dc62927', nodes: [node] }],
        policies_agree: true,
        policies: [{ index: 0, ...space, agree: true, copies: [policyCopy] }],
        async_pending: 2,
        oldest_replication: { account: pass, container: pass, object: pass },
        quarantined,
        unmounted: [{ device: '/api/v1/devices/9/', node, name: 'd5', status: 'unmounted' }],
        drained: [{ device: '/api/v1/devices/8/', node, name: 'd4', raw_bytes: 18_000_000_000_000, used_bytes: 0 }],
        drained_bytes: 18_000_000_000_000,
        identity: null,
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
            services: [
              {
                name: 'object-server',
                file: '/etc/swift/object-server.conf',
                address: '10.0.0.1:6200',
                state: 'up' as const,
                since: '2026-11-02T08:00:00.000Z',
                age_seconds: 1_564_387,
              },
            ],
          },
        ],
      },
    ],
  })
export type ClusterHealth = z.infer<typeof ClusterHealth>
