import type { Job } from '@roost/api-types/rest'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const path = '/api/v1/gateway_deployments/'
const remedy = (id: string) =>
  `An internal error prevented this change. Search the log of the control plane for job ${id}, fix the cause, and deploy again.`

let cluster = 0
let broken: LabNode
let other: LabNode
beforeEach(async () => {
  const { controlPlane, database } = server.api
  cluster = await addCluster(database)
  broken = await addLabNode(controlPlane, database, cluster)
  other = await addLabNode(controlPlane, database, cluster)
  for (const node of [broken, other]) await node.start()
})
afterEach(async () => {
  for (const node of [broken, other]) await node.remove()
})

const execute = (sql: string) => server.api.database.prisma.$executeRawUnsafe(sql)
const deploy = async (more: object = {}): Promise<Job> => (await server.post(path, { cluster, ...more })).body
const ended = async (more: object = {}) => waitForJob(server.get, await deploy(more), 30_000)

/** The database raises an error for each new generation of the broken node, until the work is done. */
async function whileRaising<T>(state: string, work: () => Promise<T>): Promise<T> {
  await execute('create sequence refusals minvalue 0')
  await execute(`create function refuse() returns trigger language plpgsql as $$
    begin perform nextval('refusals'); raise exception 'a fault' using errcode = '${state}'; end $$`)
  await execute(`create trigger refuse before insert on generations for each row
    when (new.node_id = ${broken.id}) execute function refuse()`)
  try {
    return await work()
  } finally {
    await execute('drop function refuse() cascade')
    await execute('drop sequence refusals')
  }
}

/** Returns how often the error was raised. A sequence is not rolled back. */
async function refusals(): Promise<number> {
  const rows = await server.api.database.prisma.$queryRaw<{ readonly count: number }[]>`
    select last_value::int as count from refusals`
  return rows[0]?.count ?? 0
}

it('a target that cannot be begun because of an internal error fails with the remedy, and the others are applied', async () => {
  const end = await whileRaising('P0001', ended)
  expect(end).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'failed' }, { state: 'applied' }] })
  expect(end.targets[0]?.message).toBe(remedy(end.id))
  expect(await ended()).toMatchObject({ state: 'COMPLETED_SUCCESS' })
})

it('a reviewed plan that cannot be begun because of an internal error fails with the remedy', async () => {
  const { plan } = await ended({ dry_run: true })
  const end = await whileRaising('P0001', () => ended({ plan_id: plan?.plan_id }))
  expect(end.targets).toMatchObject([{ state: 'failed', message: remedy(end.id) }, { state: 'applied' }])
})

it('a target that cannot be begun because of a temporary error of the database waits, and is applied later', async () => {
  const job = await whileRaising('53200', async () => {
    const created = await deploy()
    await expect.poll(refusals, { timeout: 30_000 }).toBeGreaterThan(1)
    const now = (await server.get(created.resource_uri)).body as Job
    expect(now.targets.map(({ state }) => state)).not.toContain('failed')
    return created
  })
  expect(await waitForJob(server.get, job, 30_000)).toMatchObject({ state: 'COMPLETED_SUCCESS' })
})

it('a generation that is stored but cannot be sent does not fail, and is sent as soon as that is possible', async () => {
  // When the generation of the broken node is committed, its payload becomes unreadable: the error would be repeated each time.
  await execute(`create function hide() returns trigger language plpgsql as $$
    begin alter table generations rename column payload to hidden; return null; end $$`)
  await execute(`create constraint trigger hide after update on job_targets deferrable initially deferred for each row
    when (new.node_id = ${broken.id} and new.generation is not null and old.generation is null) execute function hide()`)
  const job = await deploy()
  const now = async () => (await server.get(job.resource_uri)).body as Job
  await expect.poll(now).toMatchObject({ targets: [{ state: 'waiting', generation: 1 }, { state: 'waiting' }] })
  await execute('drop function hide() cascade')
  await execute('alter table generations rename column hidden to payload')
  expect(await waitForJob(server.get, job, 30_000)).toMatchObject({ state: 'COMPLETED_SUCCESS' })
})

it('a generation that cannot be decrypted fails by itself, and the other kind of deployment is applied', async () => {
  const { controlPlane, database } = server.api
  const both = await addLabNode(controlPlane, database, await addCluster(database), {
    runsGateway: true,
    runsProxy: true,
  })
  onTestFinished(() => both.remove())
  await execute(`create function damage() returns trigger language plpgsql as $$
    begin new.payload = '\\x00'; return new; end $$`)
  await execute(`create trigger damage before insert on generations for each row
    when (new.node_id = ${both.id} and new.kind = 'gateway') execute function damage()`)
  onTestFinished(async () => void (await execute('drop function damage() cascade')))
  await both.start()
  const on = async (kind: string) =>
    waitForJob(server.get, (await server.post(`/api/v1/${kind}/`, { node: both.uri })).body, 30_000)
  const message =
    'The stored desired state of the node is damaged: deploy to this node again. Until then the node keeps its current configuration.'
  expect(await on('gateway_deployments')).toMatchObject({ targets: [{ state: 'failed', message }] })
  expect(await on('user_db_deployments')).toMatchObject({ state: 'COMPLETED_SUCCESS' })
})
