import { deepStrictEqual as deepEqual } from 'node:assert'
import { createClient, isClientError } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import fc from 'fast-check'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { useFolder } from '../support/programs/folder.js'
import { addCluster } from '../support/agents/fleet-rows.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'

const database = await useDatabase()
const dataDir = await useFolder('access')
let roost: ControlPlaneProcess
let admin: Client
let address = 1
/** Of the typed client, which has one address: ten of a minute would close it to the admin too. A restart forgets them. */
let refusals = 0
beforeAll(start)
afterAll(async () => {
  await admin.close()
  await roost.stop()
})

async function start(): Promise<void> {
  refusals = 0
  roost = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url } })
  admin = createClient({ url: roost.url, ca: roost.ca, apiKey: roost.key })
}

async function crash(): Promise<void> {
  await roost.kill9()
  await admin.close()
  await start()
}

interface KeyNow {
  readonly id: number
  readonly credentials: string
  readonly operator: string
  works: boolean
}

interface OperatorNow {
  readonly id: number
  role: 'admin' | 'read_only'
  enabled: boolean
}

/** Who may do what, said a second time. */
interface Model {
  readonly operators: Map<string, OperatorNow>
  readonly keys: KeyNow[]
  readonly jobs: Set<string>
  /** Audit events of each resource. */
  readonly written: { operators: number; api_keys: number; gateway_deployments: number }
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)]
const statusOf = (error: unknown) => (isClientError(error) ? error.data?.httpStatus : undefined)

/** Reads, or asks for a deployment, with a key, over one of the two transports. Answers the HTTP status. */
async function use({ credentials }: KeyNow, transport: number, cluster: number | null, model: Model): Promise<number> {
  // An address of its own for each: failed authentications are counted by address.
  const localAddress = `127.1.${(address += 1) >> 8}.${address & 255}`
  if (transport === 1 || refusals === 9) {
    const dispatcher = new Agent({ connect: { ca: roost.ca }, localAddress })
    const headers = { authorization: `apikey ${credentials}`, 'content-type': 'application/json' }
    const call = cluster === null ? {} : { method: 'POST' as const, body: JSON.stringify({ cluster }) }
    const answer = await request(`${roost.url}/api/v1/gateway_deployments/`, { dispatcher, headers, ...call })
    const body = (await answer.body.json()) as { readonly id?: string }
    if (body.id !== undefined) model.jobs.add(body.id)
    await dispatcher.destroy()
    return answer.statusCode
  }
  const { rpc, close } = createClient({ url: roost.url, ca: roost.ca, apiKey: credentials })
  try {
    if (cluster === null) await rpc.gatewayDeployments.list.query({})
    else model.jobs.add((await rpc.gatewayDeployments.create.mutate({ cluster })).id)
    return cluster === null ? 200 : 201
  } catch (error) {
    const status = statusOf(error) ?? 0
    if (status === 401) refusals += 1
    return status
  } finally {
    await close()
  }
}

function expected({ operator, works }: KeyNow, isWrite: boolean, { operators }: Model): number {
  const of = operators.get(operator)
  if (!works || of?.enabled !== true) return 401
  if (isWrite) return of.role === 'admin' ? 201 : 403
  return 200
}

type Step = (model: Model) => Promise<void>

const index = fc.nat({ max: 50 })
const role = fc.constantFrom('admin' as const, 'read_only' as const)
const steps: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom('ann', 'bob', 'carol'), role).map(([name, role]) => async (model) => {
      const made = await admin.rpc.operators.create.mutate({ name, role }).catch(statusOf)
      if (model.operators.has(name) || typeof made !== 'object')
        return deepEqual([model.operators.has(name), made], [true, 400])
      model.operators.set(name, { id: made.id, role, enabled: true })
      model.written.operators += 1
    }),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(index, role, fc.boolean()).map(([at, role, enabled]) => async ({ operators, written }) => {
      const [, one] = pick([...operators], at) ?? []
      if (one === undefined || (one.role === role && one.enabled === enabled)) return
      await admin.rpc.operators.change.mutate({ id: one.id, change: { role, enabled } })
      Object.assign(one, { role, enabled })
      written.operators += 1
    }),
  },
  {
    weight: 1,
    arbitrary: index.map((at) => async ({ operators, keys, written }) => {
      const [name, one] = pick([...operators], at) ?? []
      if (name === undefined || one === undefined) return
      await admin.rpc.operators.remove.mutate({ id: one.id })
      operators.delete(name)
      for (const key of keys) if (key.operator === name) key.works = false
      written.operators += 1
    }),
  },
  {
    weight: 6,
    arbitrary: index.map((at) => async ({ operators, keys, written }) => {
      const [name, one] = pick([...operators], at) ?? []
      if (name === undefined || one === undefined) return
      const { id, credentials } = await admin.rpc.apiKeys.create.mutate({ operator: one.id })
      keys.push({ id, credentials, operator: name, works: true })
      written.api_keys += 1
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(index, fc.constantFrom(0, 600)).map(([at, overlap_seconds]) => async ({ keys, written }) => {
      const key = pick(keys, at)
      if (key?.works !== true) return
      const next = await admin.rpc.apiKeys.rotate.mutate({ id: key.id, rotation: { overlap_seconds } })
      keys.push({ id: next.id, credentials: next.credentials, operator: key.operator, works: true })
      key.works = overlap_seconds > 0
      written.api_keys += 1
    }),
  },
  {
    weight: 2,
    arbitrary: index.map((at) => async ({ keys, written }) => {
      const key = pick(keys, at)
      if (key?.works !== true) return
      await admin.rpc.apiKeys.revoke.mutate({ id: key.id })
      key.works = false
      written.api_keys += 1
    }),
  },
  {
    weight: 10,
    arbitrary: fc.tuple(index, fc.nat({ max: 1 }), fc.boolean()).map(([at, transport, isWrite]) => async (model) => {
      const key = pick(model.keys, at)
      if (key === undefined) return
      const cluster = isWrite ? await addCluster(database) : null
      const status = await use(key, transport, cluster, model)
      deepEqual(status, expected(key, isWrite, model))
      if (status === 201) model.written.gateway_deployments += 1
    }),
  },
  { weight: 1, arbitrary: fc.constant(crash) },
]

async function assertAgreement(model: Model): Promise<void> {
  const { objects } = await admin.rpc.operators.list.query({ limit: 1000 })
  const known = objects
    .filter(({ name }) => name !== 'admin')
    .map(({ name, role, enabled }) => [name, { role, enabled }])
  const wanted = [...model.operators].map(([name, { role, enabled }]) => [name, { role, enabled }])
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(wanted))
  for (const key of model.keys) expect(await use(key, 0, null, model)).toBe(expected(key, false, model))
  // A cluster without gateways: each deployment comes to an end, with that as its message.
  const states = async () => {
    const jobs = await Promise.all([...model.jobs].map((id) => admin.rpc.gatewayDeployments.get.query({ id })))
    return new Set(jobs.map(({ state }) => state))
  }
  await expect.poll(states, { timeout: 60_000 }).toEqual(new Set(model.jobs.size > 0 ? ['COMPLETED_FAILED'] : []))
  for (const [resource, count] of Object.entries(model.written))
    expect([resource, await database.prisma.auditEvent.count({ where: { resource } })]).toEqual([resource, count])
}

it(
  'whatever is done to operators and keys, each key may do what it should over both transports, also after kill -9',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...steps), { minLength: 40, maxLength: 60 }), async (story) => {
        await database.prisma.job.deleteMany()
        await database.prisma.operator.deleteMany({ where: { name: { not: 'admin' } } })
        await database.prisma.auditEvent.deleteMany()
        const written = { operators: 0, api_keys: 0, gateway_deployments: 0 }
        const model: Model = { operators: new Map(), keys: [], jobs: new Set(), written }
        for (const step of story) await step(model)
        await crash()
        await assertAgreement(model)
      }),
      { numRuns: isLong ? 50 : 2, endOnFailure: !isLong },
    )
  },
  isLong ? 1_800_000 : 400_000,
)
