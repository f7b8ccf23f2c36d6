import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '@roost/api-types/rest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { restTransport } from '../support/http/transports.js'
import type { RestTransport, Row } from '../support/http/transports.js'
import { killAt } from '../support/programs/failpoints.js'
import type { Point } from '../support/programs/failpoints.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentFiles, currentGeneration } from '../support/gateway/folder-applier.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'
/** Of each resource. */
const rounds = isLong ? 70 : 1
vi.setConfig({ testTimeout: isLong ? 3_600_000 : 400_000 })

const database = await useDatabase()
const dataDir = await useFolder('failpoints')
const address = `127.0.0.1:${await freePort()}`
const cluster = await addCluster(database)
let roost: ControlPlaneProcess
let transport: RestTransport
let node: LabNode
beforeAll(async () => {
  await start()
  node = await addLabNode(roost, database, cluster)
})
afterAll(async () => {
  await node.remove()
  await transport.close()
  await roost.stop()
})

/** Where the running one ends; undefined where nowhere. */
let armed: Point | undefined

async function start(point?: Point): Promise<void> {
  armed = point
  const env = { DATABASE_URL: database.url, ROOST_LISTEN: address, ...(point === undefined ? {} : killAt(point)) }
  roost = await startControlPlane({ dataDir, env })
  transport = restTransport(roost)
}

async function restart(point?: Point): Promise<void> {
  await transport.close()
  await roost.stop()
  await start(point)
}

type Creatable = 'users' | 'gateway_shares' | 'gateway_deployments' | 'user_db_deployments'
/** A record and a job: each creation of another starts the control plane four times. */
const some: readonly Creatable[] = ['users', 'gateway_deployments']
const kinds: readonly Creatable[] = isLong ? [...some, 'gateway_shares', 'user_db_deployments'] : some
let number = 0

/** What a creation of its own takes; a deployment is for a cluster of its own, so that none conflicts with another. */
async function newBody(kind: Creatable): Promise<Row> {
  number += 1
  if (kind === 'users') return { cluster, user: `user${number}`, password: 'correct-horse-battery-staple' }
  if (kind === 'gateway_shares')
    return {
      node: node.id,
      name: `share${number}`,
      objectstore_container: 'c',
      protocol: 'cifs',
      password: 'correct-horse',
    }
  return { cluster: await addCluster(database) }
}

async function countOf(kind: Creatable): Promise<number> {
  if (kind === 'users') return database.prisma.user.count()
  if (kind === 'gateway_shares') return database.prisma.gatewayShare.count()
  return database.prisma.job.count({ where: { kind: kind === 'user_db_deployments' ? 'user_db' : 'gateway' } })
}

async function createAt(point: Point, kind: Creatable) {
  const [body, key] = [await newBody(kind), `key-${number}`]
  const [rows, events] = [await countOf(kind), await database.prisma.auditEvent.count()]
  if (armed !== point) await restart(point)
  const lost = await transport.create(kind, body, key).catch(() => 'no answer')
  await roost.died
  const added = async () => ({
    rows: (await countOf(kind)) - rows,
    events: (await database.prisma.auditEvent.count()) - events,
  })
  const interrupted = await added()
  // The repetition of what was accepted writes nothing: it comes to no such point.
  await restart(point === 'cp.write.afterCommitBeforeReply' ? point : undefined)
  const first = await transport.create(kind, body, key)
  const second = await transport.create(kind, body, key)
  return { body, lost, interrupted, first, second, kept: await added() }
}

describe.each(kinds)('a creation among %s', (kind) => {
  it('that was accepted and never answered is there once, and its repetition gets the answer', async () => {
    for (let round = 0; round < rounds; round++) {
      const { body, lost, interrupted, first, second, kept } = await createAt('cp.write.afterCommitBeforeReply', kind)
      expect(lost).toBe('no answer')
      expect(interrupted).toEqual({ rows: 1, events: 1 })
      expect(kept).toEqual({ rows: 1, events: 1 })
      const { password } = body
      expect(first).toMatchObject({ record: password === undefined ? { state: 'QUEUED' } : { password } })
      expect(second).toEqual(first)
    }
  })

  it('that was interrupted before its commit is not there, nor its audit event, until it is repeated', async () => {
    for (let round = 0; round < rounds; round++) {
      const { lost, interrupted, first, second, kept } = await createAt('cp.audit.beforeCommit', kind)
      expect(lost).toBe('no answer')
      expect(interrupted).toEqual({ rows: 0, events: 0 })
      expect(kept).toEqual({ rows: 1, events: 1 })
      expect(first).toHaveProperty('record.resource_uri')
      expect(second).toEqual(first)
    }
  })
})

describe('a deployment whose control plane was killed', () => {
  beforeEach(async () => {
    if (armed !== undefined) await restart() // as a test that failed left it
    await node.start()
  })
  afterEach(() => node.stop())

  /** Asks until it has ended, whoever answers meanwhile. */
  async function ended(id: number): Promise<Job> {
    for (const deadline = Date.now() + 180_000; Date.now() < deadline; await sleep(100)) {
      const job = (await transport.list(
        'gateway_deployments',
        '&state__in=COMPLETED_SUCCESS,COMPLETED_FAILED',
      )) as unknown as Job[]
      const found = job.find((one) => one.id === String(id))
      if (found !== undefined) return found
    }
    throw new Error(`The deployment ${id} has not ended.`)
  }

  async function deployAt(point: Point) {
    const name = `deployed${(number += 1)}`
    await transport.create('gateway_shares', { node: node.id, name, objectstore_container: 'c', enabled: true })
    const [before, begun] = [await currentGeneration(node.dir), await startedGenerations(node.dir)]
    await restart(point)
    void transport.create('gateway_deployments', { node: node.id }).catch(() => undefined)
    await roost.died
    await restart()
    const { id } = await database.prisma.job.findFirstOrThrow({ orderBy: { id: 'desc' } })
    const job = await ended(id)
    const again = (await startedGenerations(node.dir)).slice(begun.length)
    return { name, before, job, again }
  }

  it.each(['cp.write.afterCommitBeforeReply', 'cp.deploy.afterDispatch'] as const)(
    'at %s comes to its end after the restart, and the node does it once',
    async (point) => {
      for (let round = 0; round < rounds; round++) {
        const { name, before, job, again } = await deployAt(point)
        expect(job).toMatchObject({
          state: 'COMPLETED_SUCCESS',
          targets: [{ state: 'applied', generation: before + 1 }],
        })
        expect(again).toEqual([before + 1])
        expect([...(await currentFiles(node.dir)).values()]).toContain(`${name}\nrw\n`)
      }
    },
  )
})
