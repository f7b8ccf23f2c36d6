import { isTooDeep } from '@roost/api-types/agent'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { startApi, type TestApi } from '../support/http/api.js'
import { hostileValues, type Json, jsonText, partsOf, sampleOf, textWith } from './hostile-values.js'
import { agentSchemas, type JsonSchema } from './protocol-schemas.js'
import { Rogue } from './rogue.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const randomMessages = 10_000
const seed = 20_261_123
const names = ['test.a', 'test.b']

let api: TestApi
let clusterId: number
let honest: SimulatedAgent
let honestId: number
let rogue: Rogue

beforeAll(async () => {
  api = await startApi()
  clusterId = await addCluster(api.database, 'shared')
  const [identity] = await insertNodes(api.database, clusterId, 1)
  if (identity === undefined) throw new Error('No node was inserted.')
  honestId = identity.id
  honest = new SimulatedAgent({
    url: api.url,
    ca: api.ca,
    identity,
    inventory: simulatedInventory('honest', 3),
    metrics: names.map((name) => ({ name, unit: 'count', aggregation: 'sum' })),
  })
  honest.dial()
  await honest.until(({ acknowledged }) => acknowledged === 1)
  rogue = new Rogue(api, clusterId)
})
afterAll(async () => {
  rogue.stop()
  honest.stop('terminate')
  await api.stop()
})

let sequence = 0
const samples = () => ({
  sequence: (sequence += 1),
  time: Date.now() / 1000,
  half_hour: Math.floor(Date.now() / 1_800_000) * 1800,
  account: 'AUTH_rogue',
  key: '/srv/node/d0',
})
const sample = (schema: JsonSchema) => sampleOf(schema, samples())

/** The honest node's values are right, and no list of the API fails. */
async function expectUnharmed(): Promise<void> {
  expect(honest.ended).toBeUndefined()
  honest.sendFrame(new Float64Array([41, 42]))
  const poll = async () => (await api.get(`/api/v1/nodes/${honestId}/metrics/poll/?metrics=test.*`)).body.metrics
  await expect.poll(poll).toMatchObject([{ value: 41 }, { value: 42 }])
  const devices = (await api.get(`/api/v1/devices/?node=${honestId}&limit=10`)).body.objects
  expect(devices).toHaveLength(3)
  for (const path of [
    ...['clusters', 'nodes', 'devices', 'storage_policies', 'audit_events', 'gateway_deployments'].map(
      (resource) => `${resource}/?limit=100`,
    ),
    ...['capacity/list', 'metrics/list', 'metrics/poll', 'metrics/across', 'health'].map(
      (part) => `clusters/${clusterId}/${part}/${part.startsWith('metrics/') ? '?metrics=*' : ''}`,
    ),
    ...rogue.nodeIds.slice(-3).map((id) => `nodes/${id}/`),
  ]) {
    const { status, text } = await api.get(`/api/v1/${path}`)
    expect({ path, status, text: status === 200 ? '' : text }).toEqual({ path, status: 200, text: '' })
  }
  for (const path of ['/metrics', '/readyz']) expect((await api.get(path)).status).toBe(200)
}

function* hostileTexts(schema: JsonSchema, parts: ReturnType<typeof partsOf>): Generator<string> {
  for (const path of parts) for (const value of hostileValues) yield textWith(sample(schema), path, value)
}

/** Large values, deep ones and other types are sent in each field above: in random messages they would only take time. */
function isQuick(value: Json): boolean {
  const text = JSON.stringify(value)
  return text.length < 1_000 && !isTooDeep(text)
}

/** Each change puts a value at a part of what the changes before it have left. */
function changedText(value: Json, changes: readonly (readonly [number, Json])[]): string {
  let text = jsonText(value)
  for (const [at, part] of changes) {
    const current = JSON.parse(text) as Json
    const parts = partsOf(current).filter((path) => path.length > 0 && (isLong || path[0] !== 'type'))
    text = textWith(current, parts[at % parts.length] ?? [], part)
  }
  return text
}

describe('an enrolled agent that sends any value in any field', () => {
  it('finds every kind of message, and sends each as a sample', async () => {
    expect(agentSchemas.length).toBeGreaterThanOrEqual(16)
    await rogue.sendAll(agentSchemas.map(({ schema }) => jsonText(sample(schema))))
    expect(rogue.faults).toEqual([])
  })

  it.each(agentSchemas)('of $name ends at most its own session, and harms no other node', async ({ schema }) => {
    const parts = partsOf(sample(schema)).filter((path) => path.length > 0)
    await rogue.sendAll(hostileTexts(schema, parts))
    expect(rogue.faults).toEqual([])
    await expectUnharmed()
  })

  it(`sends ${randomMessages} random messages in vain`, { timeout: isLong ? 6_000_000 : 600_000 }, async () => {
    const values = hostileValues.filter((value) => isLong || isQuick(value))
    const change = fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...values), fc.jsonValue() as fc.Arbitrary<Json>))
    const message = fc.tuple(fc.constantFrom(...agentSchemas), fc.array(change, { minLength: 1, maxLength: 4 }))
    const count = randomMessages * (isLong ? 10 : 1)
    await rogue.sendAll(
      fc.sample(message, { numRuns: count, seed }).map(([{ schema }, changes]) => changedText(sample(schema), changes)),
    )
    expect(rogue.faults).toEqual([])
    await expectUnharmed()
  })
})
