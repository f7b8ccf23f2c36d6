import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { restTransport } from '../support/http/transports.js'
import type { RestTransport, Row } from '../support/http/transports.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentGeneration } from '../support/gateway/folder-applier.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

const kills = process.env['ROOST_TEST_LONG'] === '1' ? 50 : 3
/** How long an unfinished deployment may take after the last restart: agents that lost many sessions dial once in 50 s. */
const resumesMs = 150_000
vi.setConfig({ testTimeout: 240_000 + kills * 90_000 })

const database = await useDatabase()
const dataDir = await useFolder('kills')
const address = `127.0.0.1:${await freePort()}`
const cluster = await addCluster(database)
let roost: ControlPlaneProcess
let transport: RestTransport
let nodes: readonly LabNode[] = []
beforeAll(async () => {
  await start()
  nodes = [await addLabNode(roost, database, cluster), await addLabNode(roost, database, cluster)]
})
beforeEach(async () => {
  for (const node of nodes) await node.start()
})
afterAll(async () => {
  for (const node of nodes) await node.remove()
  await transport.close()
  await roost.stop()
})

async function start(): Promise<void> {
  roost = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url, ROOST_LISTEN: address } })
  transport = restTransport(roost)
}

/** The results of the writes of one kind: accepted, refused, or unknown. */
interface History {
  readonly accepted: Row[]
  lost: number
}

/** Writes one after the other, whatever happens to the server, until it is stopped. */
function write(next: (transport: RestTransport) => ReturnType<RestTransport['create']>, stopping: AbortSignal) {
  const history: History = { accepted: [], lost: 0 }
  const writing = (async () => {
    while (!stopping.aborted) {
      const outcome = await next(transport).catch(() => undefined)
      if (outcome === undefined) {
        history.lost += 1
        await sleep(50)
      } else if ('record' in outcome && outcome.record !== null) history.accepted.push(outcome.record)
      await sleep(20)
    }
  })()
  return { history, writing }
}

/** Asks the database again and again; what must never be is said by what the answer resolves to. */
function watch(stopping: AbortSignal): Promise<readonly string[]> {
  const faults: string[] = []
  const inForce = new Map<number, number>()
  return (async () => {
    while (!stopping.aborted) {
      const busy = await database.pool.query(`
        select t.node_id, j.kind from job_targets t join jobs j on j.id = t.job_id
         where j.state in ('NEW', 'QUEUED', 'IN_PROGRESS') group by 1, 2 having count(*) > 1`)
      faults.push(...busy.rows.map((row) => `two deployments at once: ${JSON.stringify(row)}`))
      for (const { nodeId, inForce: now } of await database.prisma.nodeDeployment.findMany()) {
        if (now < (inForce.get(nodeId) ?? 0)) faults.push(`node ${nodeId} went back to ${now}`)
        inForce.set(nodeId, now)
      }
      await sleep(20)
    }
    return faults
  })()
}

const auditedOf = (resource: string, action: string) =>
  database.prisma.auditEvent.count({ where: { resource, action } })

it('nothing accepted is lost, each write is audited once and every deployment ends, however often it is killed', async () => {
  const share = { node: nodes[0]?.id, name: 'docs', objectstore_container: 'c', enabled: true }
  const made = await transport.create('gateway_shares', share)
  const id = 'record' in made ? Number(made.record?.['id']) : 0
  const stopping = new AbortController()
  let [users, delay, last] = [0, 0, 0]
  const password = 'correct-horse-battery-staple'
  // A cluster has at most 4,096 users: each kill has one of its own.
  let home = cluster
  const newUser = () => ({ cluster: home, user: `u${(users += 1)}`, password })
  const creating = write((now) => now.create('users', newUser()), stopping.signal)
  const changing = write((now) => now.change('gateway_shares', id, { upload_delay: (delay += 1) }), stopping.signal)
  const targets: readonly Row[] = [...nodes.map((node) => ({ node: node.id })), { cluster }]
  const deploying = write(
    (now) => now.create('gateway_deployments', targets[(last += 1) % targets.length] ?? {}),
    stopping.signal,
  )
  const histories = [creating, changing, deploying].map(({ history }) => history)
  const watching = watch(stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await Promise.allSettled([watching, creating.writing, changing.writing, deploying.writing])
  })

  for (let kill = 0; kill < kills; kill++) {
    home = await addCluster(database, `kill-${kill}`)
    const lengths = () => histories.map(({ accepted }) => accepted.length)
    const before = lengths()
    const haveGrown = () => lengths().every((length, index) => length > (before[index] ?? 0))
    await expect.poll(haveGrown, { timeout: 120_000 }).toBe(true)
    await sleep(Math.random() * 500)
    await roost.kill9()
    await transport.close()
    await start()
  }
  await sleep(500)
  stopping.abort()
  const [faults] = await Promise.all([watching, creating.writing, changing.writing, deploying.writing])
  await expect.poll(() => transport.list('gateway_deployments'), { timeout: resumesMs, interval: 200 }).toEqual([])

  expect(faults).toEqual([])
  expect(Math.min(...histories.map(({ accepted }) => accepted.length))).toBeGreaterThanOrEqual(kills)
  await assertUsers(creating.history)
  await assertChanges(changing.history, id, delay)
  await assertDeployments(deploying.history)
})

async function assertUsers({ accepted, lost }: History): Promise<void> {
  const rows = await database.prisma.user.findMany({ select: { name: true } })
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(accepted.map(({ user }) => user)))
  expect(rows.length).toBeLessThanOrEqual(accepted.length + lost)
  expect(await auditedOf('users', 'create')).toBe(rows.length)
}

async function assertChanges({ accepted, lost }: History, id: number, tried: number): Promise<void> {
  const { uploadDelay } = await database.prisma.gatewayShare.findUniqueOrThrow({ where: { id } })
  expect(uploadDelay).toBeGreaterThanOrEqual(Number(accepted.at(-1)?.['upload_delay']))
  expect(uploadDelay).toBeLessThanOrEqual(tried)
  const audited = await auditedOf('gateway_shares', 'change')
  expect(audited).toBeGreaterThanOrEqual(accepted.length)
  expect(audited).toBeLessThanOrEqual(accepted.length + lost)
}

async function assertDeployments({ accepted, lost }: History): Promise<void> {
  const jobs = await database.prisma.job.findMany()
  const known = jobs.map((job) => String(job.id))
  expect(known).toEqual(expect.arrayContaining(accepted.map((job) => job['id'])))
  expect(jobs.length).toBeLessThanOrEqual(accepted.length + lost)
  expect(jobs.filter(({ state }) => state !== 'COMPLETED_SUCCESS')).toEqual([])
  expect(await auditedOf('gateway_deployments', 'create')).toBe(jobs.length)
  for (const { id, dir } of nodes) {
    const [state] = await database.prisma.nodeDeployment.findMany({ where: { nodeId: id } })
    expect(state).toMatchObject({ desired: state?.inForce, inForce: await currentGeneration(dir) })
    const begun = await startedGenerations(dir)
    expect(begun).toEqual(begun.toSorted((one, other) => one - other))
  }
}
