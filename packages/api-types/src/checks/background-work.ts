import { check } from './check.js'
import { countText, durationText } from './text.js'

interface ReplicationFacts {
  readonly node: string
  readonly server: 'account' | 'container' | 'object'
  /** Seconds since the last pass ended; null while unknown. */
  readonly ageSeconds: number | null
}

/** The thresholds of production clusters: a pass over objects takes hours. */
const oldestPassSeconds = { account: 3_600, container: 3_600, object: 86_400 } as const

export const replicationOld = check({
  code: 'replication_old',
  severity: 'warning',
  about: 'daemon',
  endangers: 'redundancy',
  effect: 'Copies that were lost or changed are not restored.',
  measure: { what: 'seconds since the last pass ended', isAge: true },
  judge({ node, server, ageSeconds }: ReplicationFacts) {
    const threshold = oldestPassSeconds[server]
    if (ageSeconds === null || ageSeconds <= threshold) return undefined
    return {
      value: Math.floor(ageSeconds),
      threshold,
      subject: `${server}-replicator`,
      sentence: `The last replication pass of ${server}s on ${node} ended ${durationText(ageSeconds)} ago.`,
      remedy: `Check that swift-${server}-replicator runs there, and its log.`,
    }
  },
})

interface QuarantineFacts {
  readonly node: string
  /** Null while unknown. */
  readonly accounts: number | null
  readonly containers: number | null
  readonly objects: number | null
  /** Objects by the name of their policy; empty while unknown. */
  readonly byPolicy: ReadonlyMap<string, number>
}

export const quarantined = check({
  code: 'quarantined',
  severity: 'warning',
  about: 'node',
  endangers: 'redundancy',
  effect: 'Damaged files were set aside: their objects have fewer copies until replication restores them.',
  measure: { what: 'accounts, containers and objects in quarantine' },
  judge({ node, accounts, containers, objects, byPolicy }: QuarantineFacts) {
    const policies = [...byPolicy].filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`)
    const parts = [
      [accounts, 'account'],
      [containers, 'container'],
      [objects, 'object'],
    ] as const
    const found = parts.flatMap(([count, noun]) =>
      count === null || count === 0
        ? []
        : `${countText(count, noun)}${noun === 'object' && policies.length > 0 ? ` (${policies.join(', ')})` : ''}`,
    )
    if (found.length === 0) return undefined
    return {
      value: (accounts ?? 0) + (containers ?? 0) + (objects ?? 0),
      threshold: 0,
      subject: node,
      sentence: `Swift quarantined ${found.join(', ')} on ${node}: their files are damaged.`,
      remedy:
        'Check the disks, and that replication has restored them elsewhere. Then remove them from the folders `quarantined` of the devices.',
    }
  },
})

interface AsyncFacts {
  readonly device: string
  /** Updates that wait; null while unknown. */
  readonly count: number | null
  /** Seconds since the oldest of them was written; null while unknown or where none waits. */
  readonly oldestSeconds: number | null
}

const oldestUpdateSeconds = 3_600

export const asyncPending = check({
  code: 'async_pending',
  severity: 'warning',
  about: 'device',
  endangers: 'service',
  effect: 'Listings and usage lack objects that were stored.',
  measure: { what: 'seconds since the oldest waiting update was written', isAge: true },
  judge({ device, count, oldestSeconds }: AsyncFacts) {
    if (oldestSeconds === null || oldestSeconds <= oldestUpdateSeconds) return undefined
    return {
      value: Math.floor(oldestSeconds),
      threshold: oldestUpdateSeconds,
      subject: device,
      sentence: `Updates of containers wait on ${device} for ${durationText(oldestSeconds)}${count === null ? '' : ` (${count})`}: listings and usage lack these objects.`,
      remedy: 'Check that the container servers answer, and that swift-object-updater runs.',
    }
  },
})
