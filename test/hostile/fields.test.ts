import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isTooDeep } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { halfHourMs } from '../support/database/usage-rows.js'
import { startApi, type TestApi } from '../support/http/api.js'
import { Flood } from '../support/hostile/flood.js'
import {
  cloneOf,
  expectDeployed,
  expectUnharmed,
  honestAccount,
  type HonestFleet,
  honestHalfHour,
  startHonestFleet,
  stopHonestFleet,
} from './honest-fleet.js'
import { hostileFrames } from '../support/hostile/hostile-frames.js'
import { hostileValues, type Json, jsonText, partsOf, sampleOf, textWith } from '../support/hostile/hostile-values.js'
import { agentSchemas, type JsonSchema } from '../support/hostile/protocol-schemas.js'
import { randomMessages } from '../support/hostile/random-messages.js'
import { Rogue } from './rogue.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const randomCount = isLong ? 100_000 : 3_000
const floodMs = isLong ? 600_000 : 10_000
const maxLogLines = 1_000

let api: TestApi
let clusterId: number
let fleet: HonestFleet
let rogue: Rogue
let logLines: string[] = []

beforeAll(async () => {
  const logOut = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logLines.push(chunk.toString())
      done()
    },
  })
  api = await startApi({ ROOST_LOG_LEVEL: 'info' }, logOut)
  clusterId = await addCluster(api.database, 'shared')
  fleet = await startHonestFleet(api, clusterId)
  rogue = new Rogue(api, clusterId)
})
afterAll(async () => {
  rogue.stop()
  await stopHonestFleet(fleet)
  await api.stop()
})

let sequence = 0
const samples = () => ({
  sequence: (sequence += 1),
  time: Date.now() / 1000,
  half_hour: Math.floor(Date.now() / halfHourMs) * 1800,
  account: 'AUTH_rogue',
  key: '/srv/node/d0',
})
const sample = (schema: JsonSchema, more: Readonly<Record<string, Json>> = {}) =>
  sampleOf(schema, { ...samples(), ...more })

const unharmed = () => expectUnharmed(fleet, rogue.nodeIds)

/**
 * A sample of the message with each value in each of its parts. Without ROOST_TEST_LONG a part of a large message (an
 * inventory) has each fourth value, and the parts beside it have the others: all of them take 40 s instead of 7.
 */
function* hostileTexts(schema: JsonSchema): Generator<string> {
  const parts = partsOf(sample(schema)).filter((part) => part.length > 0)
  const strides = isLong || parts.length < 60 ? 1 : 4
  for (const [index, path] of parts.entries())
    for (const [at, value] of hostileValues.entries())
      if (at % strides === index % strides) yield textWith(sample(schema), path, value)
}

/** Large values, deep ones and other types are sent in each field above: in random messages they would only take time. */
function isQuick(value: Json): boolean {
  const text = JSON.stringify(value)
  return text.length < 1_000 && !isTooDeep(text)
}

/** Random messages of an agent, each with a few hostile parts. */
const randomTexts = (count: number, values: readonly Json[], more: Readonly<Record<string, Json>> = {}) =>
  randomMessages({
    count,
    values,
    schemas: agentSchemas,
    sample: (schema) => sample(schema, more),
    changesType: isLong,
  })

describe('an enrolled agent that sends any value in any field', () => {
  it('finds every kind of message, and sends each as a sample', async () => {
    expect(agentSchemas.length).toBeGreaterThanOrEqual(16)
    await rogue.sendAll(agentSchemas.map(({ schema }) => jsonText(sample(schema))))
    expect(rogue.faults).toEqual([])
  })

  it.each(agentSchemas)('of $name ends at most its own session, and harms no other node', async ({ schema }) => {
    await rogue.sendAll(hostileTexts(schema))
    expect(rogue.faults).toEqual([])
    await unharmed()
  })

  it('of each kind in a parked session ends at most that session, and harms no other node', async () => {
    const clone = new Rogue({ url: api.url, ca: api.ca, database: api.database, isParked: true }, clusterId)
    onTestFinished(() => clone.stop())
    for (const { schema } of agentSchemas) {
      const texts = [...hostileTexts(schema)]
      // A message that is too deep ends the session before its parts are read, wherever it is deep: one is enough.
      const deep = texts.filter((text) => isTooDeep(text)).slice(0, 1)
      await clone.sendAll([...texts.filter((text) => !isTooDeep(text)), ...deep])
    }
    expect(clone.faults).toEqual([])
    await unharmed()
  })

  it('of a frame ends at most its own session, and harms no other node', async () => {
    const [catalogue] = agentSchemas.filter(({ name }) => name.includes('catalogue'))
    if (catalogue === undefined) throw new Error('The protocol has no catalogue.')
    await rogue.sendFrames(jsonText(sample(catalogue.schema)), hostileFrames())
    expect(rogue.faults).toEqual([])
    await unharmed()
  })
})

/** The lines but those of our deployments, and of the rogues of which each session is a node of its own. */
function linesOfFew(): number {
  const lines = logLines.map((line) => JSON.parse(line) as { readonly nodeId?: number; readonly job?: number })
  const many = new Set<number | undefined>(rogue.nodeIds)
  return lines.filter(({ nodeId, job }) => job === undefined && !many.has(nodeId)).length
}

it('several rogue nodes and a clone that send all they can harm no other node', { timeout: 6_000_000 }, async () => {
  const [identity] = await insertNodes(api.database, clusterId, 1)
  if (identity === undefined) throw new Error('No node was inserted.')
  // It names the account and the disk of an honest node as its own.
  const claims = { account: honestAccount, half_hour: honestHalfHour, uuid: 'honest-0-fs-0', serial: 'honest-0-sn-0' }
  const messages = [...randomTexts(2_000, hostileValues, claims), ...hostileFrames()]
  logLines = []
  const floods = [
    new Flood(new SimulatedAgent({ url: api.url, ca: api.ca, identity }), messages),
    new Flood(cloneOf(fleet), messages),
  ]
  const end = performance.now() + floodMs
  const sending = { isOver: false }
  const sent = rogue
    .sendAll(randomTexts(randomCount, isLong ? hostileValues : hostileValues.filter(isQuick)))
    .finally(() => (sending.isOver = true))
  for (; !sending.isOver || performance.now() < end; await sleep(500)) {
    await unharmed()
    await expectDeployed(fleet)
  }
  await sent
  for (const flood of floods) await flood.stop()
  expect(rogue.faults).toEqual([])
  for (const flood of floods) expect(flood.sent).toBeGreaterThan(500)
  expect(linesOfFew()).toBeLessThanOrEqual(maxLogLines)
})
