import type { Collector, CollectorHost } from '../engine/collector.js'
import { gauge, part } from '../engine/metric.js'
import type { Measurement, Unit } from '../engine/metric.js'
import type { SlowFile } from '../engine/slow-files.js'

/** `minutes` become seconds; `since` is a time in Unix seconds and becomes its age. */
type Kind = Extract<Unit, 'bytes' | 'count' | 'seconds'> | 'minutes' | 'since'
type Row = readonly [key: string, name: string, kind: Kind]
type Fields = Readonly<Record<string, unknown>>

const count = (names: string): readonly Row[] => names.split(' ').map((name) => [name, name, 'count'])

const lastPass: readonly Row[] = [
  ['replication_time', 'duration', 'seconds'],
  ['replication_last', 'age', 'since'],
]
/** Only the object replicator counts its time in minutes. */
const lastObjectPass: readonly Row[] = [
  ['object_replication_time', 'duration', 'minutes'],
  ['object_replication_last', 'age', 'since'],
]
const replicationStats = count(
  'attempted success failure hashmatch remove rsync suffix_count suffix_hash suffix_sync no_change diff diff_capped deferred empty remote_merge ts_repl',
)
const objectAudit: readonly Row[] = [
  ...count('errors passes quarantined'),
  ['bytes_processed', 'bytes_processed', 'bytes'],
  ['audit_time', 'audit_time', 'seconds'],
  ['start_time', 'age', 'since'],
]
const databaseAudit = (server: string): readonly Row[] => [
  [`${server}_auditor_pass_completed`, 'auditor.duration', 'seconds'],
  [`${server}_audits_passed`, 'auditor.passed', 'count'],
  [`${server}_audits_failed`, 'auditor.failed', 'count'],
  [`${server}_audits_since`, 'auditor.age', 'since'],
]
const containerWork: readonly Row[] = [
  ['container_updater_sweep', 'updater.sweep', 'seconds'],
  ['sharding_time', 'sharding.elapsed', 'seconds'],
  ['sharding_last', 'sharding.age', 'since'],
]
const objectWork: readonly Row[] = [
  ['async_pending', 'async_pending', 'count'],
  ['async_pending_last', 'async_pending_age', 'since'],
  ['object_updater_sweep', 'updater.sweep', 'seconds'],
  ['object_expiration_pass', 'expirer.duration', 'seconds'],
  ['expired_last_pass', 'expirer.expired', 'count'],
  ['object_reconstruction_time', 'reconstruction.duration', 'minutes'],
  ['object_reconstruction_last', 'reconstruction.age', 'since'],
]
const shardingSteps =
  'visited scanned created cleaved misplaced audit_root audit_shard sharding_candidates shrinking_candidates'
const shardingStep: readonly Row[] = [
  ...count('attempted success failure completed skipped found placed unplaced has_overlap num_overlap'),
  ['min_time', 'min_time', 'seconds'],
  ['max_time', 'max_time', 'seconds'],
]

/** Measures the fields that exist; a field that is null or not a number keeps its name without a value. */
function measure(prefix: string, fields: Fields, rows: readonly Row[], now: number): readonly Measurement[] {
  return rows
    .filter(([key]) => Object.hasOwn(fields, key))
    .map(([key, name, kind]) => {
      const field = fields[key]
      const value = typeof field === 'number' && Number.isFinite(field) ? field : Number.NaN
      const full = `${prefix}.${name}`
      if (kind === 'since') return gauge(full, 'seconds', Math.max(0, now - value))
      return kind === 'minutes' ? gauge(full, 'seconds', value * 60) : gauge(full, kind, value)
    })
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function replication(prefix: string, fields: Fields, pass: readonly Row[], now: number): readonly Measurement[] {
  return [
    ...measure(prefix, fields, pass, now),
    ...measure(prefix, fieldsOf(fields['replication_stats']), replicationStats, now),
  ]
}

function measureAccount(fields: Fields, now: number): readonly Measurement[] {
  return [
    ...replication('recon.account.replication', fields, lastPass, now),
    ...measure('recon.account', fields, databaseAudit('account'), now),
  ]
}

function measureContainer(fields: Fields, now: number): readonly Measurement[] {
  const sharding = fieldsOf(fieldsOf(fields['sharding_stats'])['sharding'])
  return [
    ...replication('recon.container.replication', fields, lastPass, now),
    ...measure('recon.container', fields, [...databaseAudit('container'), ...containerWork], now),
    ...shardingSteps
      .split(' ')
      .flatMap((step) => measure(`recon.container.sharding.${step}`, fieldsOf(sharding[step]), shardingStep, now)),
  ]
}

/** The object replicator reports each device only if it has several workers, and their total always. */
function measureObject(fields: Fields, now: number): readonly Measurement[] {
  const devices = Object.entries(fieldsOf(fields['object_replication_per_disk']))
  return [
    ...measure('recon.object', fields, objectWork, now),
    ...['ALL', 'ZBF'].flatMap((kind) =>
      measure(`recon.object.auditor.${kind}`, fieldsOf(fields[`object_auditor_stats_${kind}`]), objectAudit, now),
    ),
    ...replication('replication.ALL', fields, lastObjectPass, now),
    ...devices.flatMap(([device, own]) =>
      replication(`replication.${part(device)}`, fieldsOf(own), lastObjectPass, now),
    ),
  ]
}

const servers = { account: measureAccount, container: measureContainer, object: measureObject }
export type ReconServer = keyof typeof servers
const reconServerNames = Object.keys(servers) as readonly ReconServer[]

/** Measures the cache of a server's daemons; `now` in Unix seconds. A text that is not a JSON object has no measurements. */
export function reconMeasurements(server: ReconServer, text: string, now: number): readonly Measurement[] {
  try {
    return fieldMeasurements(server, JSON.parse(text), now)
  } catch {
    return []
  }
}

/** Measures the same fields in an answer of a server. */
export function fieldMeasurements(server: ReconServer, fields: unknown, now: number): readonly Measurement[] {
  return servers[server](fieldsOf(fields), now)
}

export interface ReconOptions {
  /** The folder of the caches: `recon_cache_path` in Swift's configuration. */
  readonly directory: string
  /** Returns Unix milliseconds, on the clock by which the daemons stamp their passes. */
  readonly now: () => number
}

/** Reads the caches that exist and that the agent's user may read. The disk below them may hang. */
export async function readCaches(
  { readSlowly }: Pick<CollectorHost, 'readSlowly'>,
  directory: string,
): Promise<ReadonlyMap<ReconServer, SlowFile>> {
  const pathOf = (server: ReconServer): string => `${directory}/${server}.recon`
  const files = await readSlowly(reconServerNames.map(pathOf))
  return new Map(
    reconServerNames.flatMap((server) => {
      const file = files.get(pathOf(server))
      return file === undefined ? [] : [[server, file]]
    }),
  )
}

/** Reports the last passes of Swift's background daemons, and the age of each cache: a daemon that stopped writes none. */
export function createRecon({ directory, now }: ReconOptions): Collector {
  const measureCache = (server: ReconServer, { text, modifiedAt, error }: SlowFile): readonly Measurement[] => {
    // The names are in the text: the engine keeps them, without values, when a collector throws.
    if (text === undefined) throw new Error(`${directory}/${server}.recon: ${error}`)
    const age = Math.max(0, now() - modifiedAt) / 1_000
    return [gauge(`recon.${server}.cache_age`, 'seconds', age), ...reconMeasurements(server, text, now() / 1_000)]
  }
  let hasCaches = false
  return {
    name: 'recon',
    // Daemons write their caches about once a pass, and a read of them costs 3 ms of CPU.
    minIntervalMs: 30_000,
    async read(host) {
      // No helper process is needed where there is no Swift.
      hasCaches ||= host.machine.modifiedAt(directory) !== undefined
      const caches = hasCaches ? await readCaches(host, directory) : new Map<ReconServer, SlowFile>()
      return [...caches].flatMap(([server, file]) => measureCache(server, file))
    },
  }
}
