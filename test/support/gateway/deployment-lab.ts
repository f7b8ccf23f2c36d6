import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job, ProxyAuthentication } from '@roost/api-types/rest'
import { systemClock } from '@roost/runtime'
import type { Appliers } from '@roost/node-agent/dist/deployments/applier.js'
import { ensureKey, keepIdentity } from '@roost/node-agent/dist/machine/identity.js'
import { createRestoredMounts, type RestoredMounts } from '@roost/node-agent/dist/mounts/health/restored-mounts.js'
import type { RequestHandlers } from '@roost/node-agent/dist/uplink/requests.js'
import { saveAuthorities } from '@roost/node-agent/dist/uplink/trust.js'
import { expect, vi } from 'vitest'
import type { Reachable } from '../http/control-plane.js'
import type { TestDatabase } from '../database/database.js'
import { addNode } from '../agents/fleet-rows.js'
import { waitTimeoutMs } from '../clock/wait-until.js'
import { folderApplier } from './folder-applier.js'
import type { FolderBehavior } from './folder-applier.js'
import { startTestAgent } from '../agents/test-agent.js'
import type { TestAgent, TestAgentOptions } from '../agents/test-agent.js'

/** A node of a test with a real agent, whose applier writes to a folder. */
export interface LabNode {
  readonly id: number
  readonly uri: string
  /** The state directory of the agent. */
  readonly dataDir: string
  /** What its appliers of shares and of users write to. */
  readonly dir: string
  readonly usersDir: string
  readonly behavior: FolderBehavior
  /** Answers the request to end tokens; set it to fail, wait or note something. */
  readonly tokens: { end: NonNullable<RequestHandlers['end_tokens']> }
  /** Mounts that the agent has restored. */
  readonly restored: RestoredMounts
  /** The proxy of the node authenticates so from now on; undefined: its agent does not know it. */
  setProxy(authentication: ProxyAuthentication | undefined): void
  /** Starts the agent, with these parts instead of its own. */
  start(parts?: Partial<Omit<TestAgentOptions, 'dataDir'>>): Promise<void>
  stop(): Promise<void>
  /** Ends the agent and removes what it kept. */
  remove(): Promise<void>
}

/** Enrolled as by an operator. `start` begins its agent, in this process. */
export async function addLabNode(
  roost: Pick<Reachable, 'url' | 'ca'>,
  database: Pick<TestDatabase, 'prisma'>,
  clusterId: number,
  role: { readonly runsGateway?: boolean; readonly runsProxy?: boolean } = { runsGateway: true },
): Promise<LabNode> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-lab-'))
  const dir = join(dataDir, 'gateway')
  const usersDir = join(dataDir, 'user_db')
  const { publicKey } = await ensureKey(dataDir)
  const id = await addNode(database, clusterId, {
    publicKey: new Uint8Array(Buffer.from(publicKey, 'base64')),
    machineId: 'machine',
    bootId: 'boot',
    operatorFields: ['runs_gateway', 'runs_proxy'],
    role: { create: role },
  })
  const { uuid } = await database.prisma.node.findUniqueOrThrow({ where: { id } })
  await keepIdentity(dataDir, { server: roost.url, node_id: id, node_uuid: uuid, cluster: 'lab' })
  await saveAuthorities(dataDir, [roost.ca])
  const behavior: FolderBehavior = { outcome: 'applied', halfway: async () => {} }
  const own: Appliers = {
    gateway: folderApplier('gateway', dir, behavior),
    user_db: folderApplier('user_db', usersDir, behavior),
  }
  const restored = createRestoredMounts(systemClock)
  const tokens: LabNode['tokens'] = { end: async () => ({ ended: 0, notes: [] }) }
  let running: TestAgent | null = null
  let proxy: ProxyAuthentication | undefined
  const stop = async () => {
    await running?.agent.stop()
    running = null
  }
  return {
    id,
    uri: `/api/v1/nodes/${id}/`,
    dataDir,
    dir,
    usersDir,
    behavior,
    tokens,
    restored,
    stop,
    setProxy(authentication) {
      proxy = authentication
      running?.setProxy(proxy)
    },
    async start(parts = {}) {
      const started = await startTestAgent({
        dataDir,
        clock: systemClock,
        random: () => 0,
        appliers: own,
        requests: {
          end_tokens: (parameters) => tokens.end(parameters),
          proxy_authentication: async () => ({ authentication: proxy ?? null }),
        },
        restored,
        proxy,
        ...parts,
      })
      running = started
      await vi.waitFor(() => expect(started.statuses[0]).toContain('connected to'), waitTimeoutMs)
    },
    async remove() {
      behavior.release?.() // a test that failed may have left it held
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Asks for the job until it has ended. */
export async function waitForJob(
  get: (path: string) => Promise<{ readonly body: Job }>,
  { resource_uri: uri }: Job,
  timeout = 120_000,
): Promise<Job> {
  let job: Job | undefined
  // An answer that is no job, such as 503 of a control plane with too much to do, is no end.
  const finished = async () => (job = (await get(uri)).body).finished
  await expect.poll(finished, { timeout, interval: 50 }).toEqual(expect.any(String))
  return job as Job
}

/** Holds the node in the middle of its next generation, until the answer is called. */
export function blockHalfway(of: LabNode): () => void {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  of.behavior.halfway = () => released
  of.behavior.release = release
  return release
}
