import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { openDatabase } from '@roost/database'
import type { Database } from '@roost/database'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { insertNodes } from '../support/agents/nodes.js'
import type { FleetOrder } from './fleet-worker.js'
import { createReader } from './reader.js'
import type { Reader } from './reader.js'

/** A real control plane in a process of its own, with its embedded database. */
export interface Stage {
  readonly controlPlane: ControlPlaneProcess
  readonly database: Database
  readonly keys: readonly string[]
  reader(): Reader
  /** `devices`: how many each node has; none by default. */
  addFleet(nodes: number, names: FleetOrder['names'], devices?: number): Promise<Fleet>
  close(): Promise<void>
}

/** Simulated agents that report every 10 s, in a thread of their own. */
export interface Fleet {
  readonly clusterId: number
  readonly nodeIds: readonly number[]
  burst(frames: number): Promise<void>
  /** From now on every agent reports the usage of its devices every 10 s, and all of it has changed. */
  reportUsage(): void
  /** From now on every agent sends the chunk of its history that is due: one in five minutes, at a moment of its own. */
  sendHistory(): void
  stop(): Promise<void>
}

export interface StageOptions {
  /** For browsers, which keep the cookie of a session from nothing else. */
  readonly tls?: boolean
  /** Fills the database before the control plane that is measured starts. */
  readonly seed?: (database: Database) => Promise<void>
}

export async function openStage({ tls = false, seed }: StageOptions = {}): Promise<Stage> {
  const env = { ROOST_LOG_LEVEL: 'warn', ...(tls ? {} : { ROOST_TLS: 'off' }) }
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-bench-'))
  if (seed !== undefined) await seedDatabase(dataDir, seed)
  const controlPlane = await startControlPlane({ dataDir, env })
  const database = openEmbeddedDatabase(dataDir)
  const keys = await addKeys(database, 100)
  const fleets: Fleet[] = []
  return {
    controlPlane,
    database,
    keys,
    reader: () => createReader(controlPlane.url, keys),
    async addFleet(nodes, names, devices = 0) {
      const fleet = await startFleet(controlPlane.url, database, { nodes, names, devices })
      fleets.push(fleet)
      return fleet
    },
    async close() {
      for (const fleet of fleets) await fleet.stop()
      await database.close()
      await controlPlane.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

function openEmbeddedDatabase(dataDir: string): Database {
  return openDatabase({ host: join(dataDir, 'run'), user: 'postgres', database: 'roost' })
}

async function seedDatabase(dataDir: string, seed: (database: Database) => Promise<void>): Promise<void> {
  const controlPlane = await startControlPlane({ dataDir, env: { ROOST_LOG_LEVEL: 'warn' } })
  const database = openEmbeddedDatabase(dataDir)
  try {
    await seed(database)
  } finally {
    await database.close()
    await controlPlane.stop()
  }
}

async function addKeys({ prisma }: Database, count: number): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, (_, i) => ({
    name: `bench-${i}`,
    secret: randomBytes(24).toString('hex'),
  }))
  for (const { name, secret } of keys) {
    const digest = new Uint8Array(createHash('sha256').update(secret).digest())
    await prisma.operator.create({ data: { name, role: 'admin', keys: { create: { digest } } } })
  }
  return keys.map(({ name, secret }) => `${name}:${secret}`)
}

async function startFleet(
  url: string,
  database: Database,
  { nodes: count, names, devices }: { readonly nodes: number } & Pick<FleetOrder, 'names' | 'devices'>,
): Promise<Fleet> {
  const { id: clusterId } = await database.prisma.cluster.create({
    data: { name: `fleet ${randomBytes(4).toString('hex')}` },
  })
  const nodes = await insertNodes(database, clusterId, count)
  const workerData: FleetOrder = {
    url,
    identities: nodes.map(({ uuid, privateKey }) => ({ uuid, privateKey })),
    names,
    devices,
  }
  const worker = new Worker(new URL('fleet-worker.js', import.meta.url), { workerData })
  await once(worker, 'message')
  let running = true
  return {
    clusterId,
    nodeIds: nodes.map(({ id }) => id),
    async burst(frames) {
      worker.postMessage({ frames })
      await once(worker, 'message')
    },
    reportUsage: () => worker.postMessage('report usage'),
    sendHistory: () => worker.postMessage('send history'),
    async stop() {
      if (!running) return
      running = false
      worker.postMessage('stop')
      await once(worker, 'exit')
    },
  }
}

const two = (n: number) => String(n).padStart(2, '0')

/** 800 names: 40 disks with 20 fields each. */
export function metricNames(prefix: string): readonly string[] {
  return Array.from({ length: 800 }, (_, i) => `${prefix}.d${two(Math.floor(i / 20))}.f${two(i % 20)}`)
}

/** The same on every node, as the names of a fleet are. */
export const sharedNames = metricNames('disk')
