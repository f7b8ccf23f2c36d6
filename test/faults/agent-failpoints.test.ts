import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { FailpointName } from '@roost/failpoints'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { killAt } from '../support/programs/failpoints.js'
import type { Point } from '../support/programs/failpoints.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentFiles, currentGeneration } from '../support/gateway/folder-applier.js'
import { shareApi } from '../support/http/shared-api.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const rounds = isLong ? 40 : 1
/** From the start of the agent until what was asked for is in force: less than the minute after which it looks by itself. */
const convergesMs = 55_000
vi.setConfig({ testTimeout: isLong ? 1_800_000 : 300_000 })

const server = shareApi()
let node: LabNode
let share = ''
let number = 0
const processes: AgentProcess[] = []
beforeEach(async () => {
  const { controlPlane, database } = server.api
  node = await addLabNode(controlPlane, database, await addCluster(database))
  const body = { node: node.id, name: 'share0', objectstore_container: 'c', enabled: true }
  share = (await server.post('/api/v1/gateway_shares/', body)).body.resource_uri
  await node.start()
  await waitForJob(server.get, (await server.post('/api/v1/gateway_deployments/', { node: node.uri })).body)
  await node.stop()
  return async () => {
    await Promise.all(processes.splice(0).map(endProcess))
    await node.remove()
  }
})

interface AgentProcess {
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>
  kill(): void
}

/** The node's agent in a process of its own; with a point, it ends there. */
function startAgent(point?: Point): AgentProcess {
  const { PATH = '' } = process.env
  const program = join(repository, 'test/dist/support/agents/lab-agent-program.js')
  const env = { PATH, ...(point === undefined ? {} : killAt(point)) }
  const child = spawn(process.execPath, [program, node.dataDir], { env, stdio: 'ignore' })
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_code, signal) => resolve(signal)))
  const started = { ended, kill: () => child.kill('SIGKILL') }
  processes.push(started)
  return started
}

async function endProcess(agent: AgentProcess): Promise<void> {
  agent.kill()
  await agent.ended
}

const filesOf = (name: string) => [`${name}\nrw\n`]

/** Lets the agent die at the point of the next deployment, and starts it again. */
async function dieAt(point: Point) {
  const before = { files: [...(await currentFiles(node.dir)).values()], generation: await currentGeneration(node.dir) }
  const begun = (await startedGenerations(node.dir)).length
  const name = `share${(number += 1)}`
  await server.patch(share, { name })
  const dying = startAgent(point)
  const job = (await server.post('/api/v1/gateway_deployments/', { node: node.uri })).body
  const jobNow = async () => (await server.get(job.resource_uri)).body
  // Where the point is not passed so often, the deployment comes to its end without it.
  const watch = (async () => {
    while ((await jobNow()).finished === null) await new Promise((resolve) => setTimeout(resolve, 50))
    return null
  })()
  const signal = await Promise.race([dying.ended, watch])
  await endProcess(dying)
  const dead = { files: [...(await currentFiles(node.dir)).values()], generation: await currentGeneration(node.dir) }
  const since = performance.now()
  const agent = startAgent()
  await expect.poll(async () => (await jobNow()).finished, { timeout: 60_000, interval: 50 }).not.toBeNull()
  const convergedMs = performance.now() - since
  await endProcess(agent)
  const after = { files: [...(await currentFiles(node.dir)).values()], generation: await currentGeneration(node.dir) }
  const times = (await startedGenerations(node.dir)).slice(begun)
  return { name, before, dead, after, signal, convergedMs, times, job: await jobNow() }
}

type Death = Awaited<ReturnType<typeof dieAt>>

/** What holds wherever it died. */
function assertConverged({ name, before, dead, after, convergedMs, times, job }: Death): void {
  expect(job).toMatchObject({
    state: 'COMPLETED_SUCCESS',
    targets: [{ state: 'applied', generation: after.generation }],
  })
  expect(after).toEqual({ files: filesOf(name), generation: before.generation + 1 })
  expect([before, after]).toContainEqual(dead)
  expect(new Set(times)).toEqual(new Set([after.generation]))
  expect(convergedMs).toBeLessThan(convergesMs)
}

/** Where the new generation is in force already, and how often it is begun with in all. */
const points: readonly (readonly [FailpointName, 'before' | 'after', number])[] = [
  ['agent.hello.beforeSend', 'before', 1],
  ['agent.apply.afterStage', 'before', 2],
  ['agent.apply.afterValidate', 'before', 2],
  ['agent.apply.afterRename', 'after', 2],
  ['agent.apply.afterReload', 'after', 2],
  ['agent.apply.beforeAck', 'after', 1],
]

describe('an agent that is killed', () => {
  it.each(points)('at %s leaves one complete generation, and converges by itself', async (point, where, times) => {
    for (let round = 0; round < rounds; round++) {
      const death = await dieAt(point)
      expect(death.signal).toBe('SIGKILL')
      expect(death.dead).toEqual(death[where])
      expect(death.times).toHaveLength(times)
      assertConverged(death)
    }
  })

  it('between writing and renaming any file converges by itself', async () => {
    let deaths = 0
    for (let time = 1; time <= rounds + 4; time++) {
      const death = await dieAt(`agent.store.afterTmpBeforeRename@${1 + (time % 5)}`)
      assertConverged(death)
      if (death.signal === 'SIGKILL') deaths += 1
    }
    expect(deaths).toBeGreaterThan(2)
  })
})
