import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Inventory, MetricDefinition, ProxyAuthentication } from '@roost/api-types/agent'
import { type Agent, startAgent } from '@roost/node-agent/dist/context/agent.js'
import type { Appliers } from '@roost/node-agent/dist/deployments/applier.js'
import type { ProblemChange } from '@roost/node-agent/dist/machine/problems.js'
import type { Readings } from '@roost/node-agent/dist/collectors/engine/reading.js'
import type { Inventories, InventoryChange } from '@roost/node-agent/dist/inventory/inventories.js'
import type { Clock, Log } from '@roost/runtime'
import { ensureKey, type Identity, keepIdentity, readIdentity } from '@roost/node-agent/dist/machine/identity.js'
import { createRestoredMounts, type RestoredMounts } from '@roost/node-agent/dist/mounts/health/restored-mounts.js'
import type { Upgrades } from '@roost/node-agent/dist/upgrade/upgrades.js'
import type { RequestHandlers } from '@roost/node-agent/dist/uplink/requests.js'
import { saveAuthorities } from '@roost/node-agent/dist/uplink/trust.js'

export interface LogLine {
  readonly level: keyof Log
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The agent's loop and uplink, over sources that a test governs instead of a machine. */
export interface TestAgent {
  readonly agent: Agent
  readonly lines: readonly LogLine[]
  /** Last first. */
  readonly statuses: readonly string[]
  /** Something on the machine changed that the next inventory shows. */
  readonly change: (hostname: string) => void
  /** The machine has one problem, with this message. */
  readonly setProblem: (message: string, change: ProblemChange) => void
  /** The proxy of the machine authenticates so. */
  readonly setProxy: (authentication: ProxyAuthentication | undefined) => void
  readonly setMetrics: (metrics: readonly MetricDefinition[]) => void
}

export interface TestAgentOptions {
  readonly dataDir: string
  readonly clock: Clock
  readonly random?: () => number
  /** Of its inventory, until the test changes it; `first` unless given. */
  readonly hostname?: string
  readonly metrics?: number
  /** How its proxy authenticates; not known unless given. */
  readonly proxy?: ProxyAuthentication | undefined
  /** Instead of metrics that a test names. */
  readonly readings?: Readings
  /** The usage of devices; one device without values unless given. */
  readonly usage?: Inventories['usage']
  /** None, unless given. */
  readonly appliers?: Appliers
  readonly requests?: RequestHandlers
  readonly restored?: RestoredMounts
  /** None, unless given. */
  readonly upgrades?: Upgrades
  /** Instead of the recorded lines. */
  readonly log?: Log
}

/** A state directory of a node that is enrolled at this address; removed by `remove`. */
export async function enrolledState(
  server: string,
  authorities: readonly string[] = [],
): Promise<{
  readonly dataDir: string
  readonly identity: Identity
  remove(): Promise<void>
}> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-agent-'))
  await enrollAt(dataDir, server)
  await saveAuthorities(dataDir, authorities)
  const identity = (await readIdentity(dataDir)) as Identity
  return { dataDir, identity, remove: () => rm(dataDir, { recursive: true, force: true }) }
}

async function enrollAt(dataDir: string, server: string): Promise<void> {
  const enrollment = { server, node_id: 1, node_uuid: '0d4c8f0e-55a0-4d0c-9d4b-6f0f6a1d7c11', cluster: 'test' }
  await ensureKey(dataDir)
  await keepIdentity(dataDir, enrollment)
}

export async function startTestAgent(options: TestAgentOptions): Promise<TestAgent> {
  const { dataDir, clock, random = Math.random } = options
  const lines: LogLine[] = []
  const statuses: string[] = []
  const changes = new Set<(change: InventoryChange) => void>()
  let metrics = metricNames(options.metrics ?? 3)
  let { hostname } = options
  let problems: Inventory['problems'] = []
  let { proxy } = options
  const identity = (await readIdentity(dataDir)) as Identity
  const agent = await startAgent({
    dataDir,
    identity,
    machine: { machineId: 'machine', bootId: 'boot', hostname: 'node' },
    readings: options.readings ?? {
      read: async () => ({
        time: clock.now() / 1000,
        metrics,
        values: new Float64Array(metrics.length).fill(clock.monotonic()),
      }),
      close: async () => {},
    },
    inventories: {
      read: async () => ({
        ...inventoryOf(hostname),
        problems,
        ...(proxy === undefined ? {} : { proxy_authentication: proxy }),
      }),
      readHardware: async () => {},
      usage: options.usage ?? (async () => [{ key: 'd1', status: 'ok', figures: null }]),
      devices: () => [],
      onChange: (callback) => {
        changes.add(callback)
        return () => changes.delete(callback)
      },
      close: async () => {},
    },
    usage: {
      accounts: { sample: async () => null, close: () => {} },
      transfer: null,
      storageIntervalMs: 600_000,
      transferIntervalMs: 300_000,
    },
    appliers: options.appliers ?? {},
    requests: options.requests ?? {},
    restored: options.restored ?? createRestoredMounts(clock),
    upgrades: options.upgrades ?? noUpgrades,
    onStatus: (status) => statuses.unshift(status),
    clock,
    random,
    log: options.log ?? recordingLog(lines),
  })
  return {
    agent,
    lines,
    statuses,
    change(name) {
      hostname = name
      for (const callback of changes) callback('machine')
    },
    setProblem(message, change) {
      problems = [{ code: 'share_not_uploaded', subject: 'docs', message }]
      for (const callback of changes) callback(change)
    },
    setProxy(authentication) {
      proxy = authentication
      for (const callback of changes) callback('machine')
    },
    setMetrics(next) {
      metrics = next
    },
  }
}

const noUpgrades: Upgrades = {
  capabilities: [],
  advance: async () => ({ state: 'refused', message: 'This agent of a test is not upgraded.' }),
  connected: async () => {},
  stop: async () => {},
}

export function metricNames(count: number): readonly MetricDefinition[] {
  return Array.from({ length: count }, (_, i) => ({ name: `test.metric_${i}`, unit: 'count', aggregation: 'sum' }))
}

function recordingLog(lines: LogLine[]): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields: LogLine['fields'] = {}) =>
      void lines.push({ level, message, fields })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export function inventoryOf(hostname = 'first'): Inventory {
  return {
    host: {
      hostname,
      os: null,
      kernel: null,
      architecture: 'x64',
      cpu_model: null,
      cpu_cores: 2,
      memory_bytes: 1024,
    },
    addresses: [],
    facing: { cluster_ip: null, outward_ip: null, replication_ip: null },
    roles: { runs_account_container: false, runs_gateway: false, runs_object: true, runs_proxy: false },
    disks: [],
    filesystems: [],
    devices: [],
    policies: [],
    rings: [],
    gateway: { samba: null, nfs_ganesha: null, nfs_kernel_server: null, rclone: null },
    problems: [],
  }
}
