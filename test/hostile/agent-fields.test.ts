import { systemClock } from '@roost/runtime'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startScriptedAgent } from '../support/agents/agent-lab.js'
import type { ScriptedAgent } from '../support/agents/agent-lab.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { hostileValues, partsOf, sampleOf, textWith } from '../support/hostile/hostile-values.js'
import { type JsonSchema, serverSchemas } from '../support/hostile/protocol-schemas.js'
import { randomMessages } from '../support/hostile/random-messages.js'

let lab: ScriptedAgent
beforeAll(async () => {
  lab = await startScriptedAgent(systemClock)
  await vi.waitUntil(() => lab.server.inventories.length > 0, waitTimeoutMs)
})
afterAll(() => lab.stop())

let last = 0

/** Returns when the agent has read everything, and works by the settings of before. */
async function isUnharmed(): Promise<void> {
  const id = `question-${(last += 1)}`
  lab.server.sendAll({ type: 'welcome', node_id: 1, parked: null })
  lab.server.sendAll({
    type: 'settings',
    report_interval_ms: 10_000,
    heartbeat_interval_ms: 15_000,
    inventory_interval_ms: 3_600_000,
    reconnect_spread_ms: 1_000,
    ca: [],
  })
  lab.server.sendAll({ type: 'request', id, kind: 'none', parameters: null })
  await vi.waitFor(() => expect(lab.server.answers.at(-1)?.id).toBe(id), waitTimeoutMs)
  lab.server.answers.length = 0
}

/** A second challenge is answered with a second hello, which this control plane did not ask for. */
const schemas = serverSchemas.filter(({ name }) => name !== 'challenge')
const sample = (schema: JsonSchema) => sampleOf(schema, { clock: Date.now() / 1000, id: 1, report_interval_ms: 10_000 })
/** The values of each field above; the largest of them would only take time in random messages. */
const quickValues = hostileValues.filter((value) => JSON.stringify(value).length < 1_000)

describe('an agent whose control plane sends any value in any field', () => {
  it.each(schemas)('of $name keeps its session and goes on', async ({ schema }) => {
    const valid = sample(schema)
    for (const path of partsOf(valid).filter((part) => part.length > 0)) {
      for (const value of hostileValues) lab.server.sendText(textWith(valid, path, value))
      await isUnharmed()
    }
    expect(lab.server.faults).toEqual([])
    expect(lab.server.hellos).toHaveLength(1)
  })

  it('in 10,000 random messages keeps its session and goes on', async () => {
    const texts = [...randomMessages({ count: 10_000, schemas, sample, values: quickValues, changesType: true })]
    expect(new Set(texts).size).toBeGreaterThan(8_000)
    for (const [i, text] of texts.entries()) {
      lab.server.sendText(text)
      if (i % 500 === 499) await isUnharmed()
    }
    expect(lab.server.faults).toEqual([])
    expect(lab.server.hellos).toHaveLength(1)
  })
})
