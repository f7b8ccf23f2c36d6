import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { restTransport, rpcTransport } from '../support/http/transports.js'
import type { Transport, Kind, Row } from '../support/http/transports.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { createModel } from '../support/models/records-model.js'
import type { RecordsModel } from '../support/models/records-model.js'

const long = process.env['ROOST_TEST_LONG'] !== undefined
const password = 'correct-horse-battery-staple'

let database: TestDatabase
let dataDir = ''
let key = ''
let roost: ControlPlaneProcess
let transports: readonly Transport[] = []
let clusters: readonly number[] = []
let nodes: readonly number[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'roost-model-'))
  clusters = [await addCluster(database), await addCluster(database)]
  const gateway = { role: { create: { runsGateway: true } } }
  nodes = await Promise.all(clusters.map((cluster) => addNode(database, cluster, gateway)))
  await start()
})
afterAll(async () => {
  for (const transport of transports) await transport.close()
  await roost.stop()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

async function start(): Promise<void> {
  for (const transport of transports) await transport.close()
  roost = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url } })
  key ||= roost.key
  transports = [restTransport({ ...roost, key }), rpcTransport({ ...roost, key })]
}

async function crash(): Promise<void> {
  await roost.kill9()
  await start()
}

const parent = fc.nat({ max: 1 })
const user = fc.record({
  cluster: parent,
  user: fc.constantFrom('ann', 'Ann', 'bob', 'x_boa', 'x_boG', 'c.d'),
  is_superuser: fc.boolean(),
})
const userChange = fc.record(
  { is_superuser: fc.boolean(), enabled: fc.boolean(), password: fc.constant(`${password}2`) },
  { requiredKeys: [] },
)
const settings = {
  name: fc.constantFrom('a', 'A', 'b'),
  protocol: fc.constantFrom('nfs', 'cifs'),
  access_mode: fc.constantFrom('rw', 'ro'),
  upload_delay: fc.nat({ max: 86_400 }),
  cache_size_mb: fc.option(fc.integer({ min: 16, max: 1_000_000 })),
  root_squash: fc.boolean(),
  cifs_create_mask: fc.constantFrom('0600', '0640'),
  password: fc.constant('correct-horse'),
}
const objectstore_container = fc.constantFrom('c', 'd')
const share = fc.record(
  { ...settings, objectstore_container, node: parent },
  { requiredKeys: ['name', 'node', 'objectstore_container'] },
)
const shareChange = fc.record({ ...settings, node: parent }, { requiredKeys: [] })

type Step =
  | {
      readonly verb: 'create' | 'change' | 'remove'
      readonly kind: Kind
      readonly transport: number
      readonly at: number
      readonly body: Row
    }
  | { readonly verb: 'crash' }

const stepOf = (verb: 'create' | 'change' | 'remove', kind: Kind, body: fc.Arbitrary<Row>): fc.Arbitrary<Step> =>
  fc.record({
    verb: fc.constant(verb),
    kind: fc.constant(kind),
    transport: fc.nat({ max: 1 }),
    at: fc.nat({ max: 20 }),
    body,
  })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: stepOf('create', 'users', user) },
  { weight: 8, arbitrary: stepOf('change', 'users', userChange) },
  { weight: 4, arbitrary: stepOf('remove', 'users', fc.constant({})) },
  { weight: 12, arbitrary: stepOf('create', 'gateway_shares', share) },
  { weight: 16, arbitrary: stepOf('change', 'gateway_shares', shareChange) },
  { weight: 4, arbitrary: stepOf('remove', 'gateway_shares', fc.constant({})) },
  { weight: 1, arbitrary: fc.constant<Step>({ verb: 'crash' }) },
)

/** The places of a step are numbers from 0; here they become ids. */
function withParent(body: Row): Row {
  const node = 'node' in body ? { node: nodes[Number(body['node'])] } : {}
  const cluster = 'cluster' in body ? { cluster: clusters[Number(body['cluster'])], password } : {}
  return { ...body, ...node, ...cluster }
}

async function run(model: RecordsModel, step: Step): Promise<void> {
  if (step.verb === 'crash') return crash()
  const { verb, kind, transport: index, at } = step
  const transport = transports[index]
  if (transport === undefined) throw new Error('There are two transports.')
  const body = withParent(step.body)
  if (verb === 'create')
    return model.accept(kind, undefined, model.create(kind, body), await transport.create(kind, body))
  const ids = model.ids(kind)
  const id = ids[at % (ids.length + 1)] ?? 2_000_000_000
  const expected = verb === 'change' ? model.change(kind, id, body) : ids.includes(id) ? null : 404
  model.accept(
    kind,
    id,
    expected,
    await (verb === 'change' ? transport.change(kind, id, body) : transport.remove(kind, id)),
  )
}

async function assertAgreement(model: RecordsModel): Promise<void> {
  for (const transport of transports)
    for (const kind of ['users', 'gateway_shares'] as const)
      expect(await transport.list(kind)).toEqual(model.list(kind))
  expect(await database.prisma.auditEvent.count()).toBe(model.written)
  await assertCounts()
}

/** The totals that lists show are kept beside the tables. */
async function assertCounts(): Promise<void> {
  const { rows } = await database.pool.query(`
    select node_id from (select node_id, protocol, enabled, count(*) n from gateway_shares group by 1, 2, 3) s
      full join (select * from share_counts where shares <> 0) c using (node_id, protocol, enabled)
     where n is distinct from shares
    union all
    select cluster_id from (select cluster_id, count(*) n from users group by 1) u
      full join (select * from user_counts where users <> 0) c using (cluster_id)
     where n is distinct from users`)
  expect(rows).toEqual([])
}

async function empty(): Promise<void> {
  await database.prisma.user.deleteMany()
  await database.prisma.gatewayShare.deleteMany()
  await database.prisma.auditEvent.deleteMany()
}

it(
  'any sequence of writes over REST and tRPC, with crashes in between, leaves what the model says',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        await empty()
        const model = createModel()
        for (const one of steps) await run(model, one)
        await crash()
        await assertAgreement(model)
      }),
      { numRuns: long ? 50 : 2, endOnFailure: !long },
    )
  },
  long ? 1_800_000 : 400_000,
)

it(
  'a creation that a crash interrupted is done once, and its repetition answers it',
  async () => {
    await empty()
    const rounds = long ? 200 : 3
    for (let round = 0; round < rounds; round++) {
      const body = { cluster: clusters[0], user: `user${round}`, password }
      const [rest] = transports
      const lost = rest?.create('users', body, `key-${round}`).catch(() => undefined)
      await sleep(round % 4)
      await crash()
      await lost
      const again = await transports[0]?.create('users', body, `key-${round}`)
      expect(again).toMatchObject({ record: { user: `user${round}`, password } })
      expect(await transports[0]?.create('users', body, `key-${round}`)).toEqual(again)
    }
    expect(await database.prisma.user.count()).toBe(rounds)
    expect(await database.prisma.auditEvent.count()).toBe(rounds)
  },
  long ? 1_800_000 : 300_000,
)
