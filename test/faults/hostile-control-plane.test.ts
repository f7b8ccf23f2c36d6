import { systemClock } from '@roost/runtime'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { startScriptedAgent } from '../support/agents/agent-lab.js'
import type { ScriptedAgent } from '../support/agents/agent-lab.js'

let lab: ScriptedAgent
let isLogBroken = false
const silent = () => {}
const log = {
  debug: silent,
  info: silent,
  error: silent,
  warn() {
    const isBroken = isLogBroken
    isLogBroken = false
    if (isBroken) throw new Error('no space left on device')
  },
}

beforeEach(async () => {
  lab = await startScriptedAgent(systemClock, { log })
})
afterEach(() => lab.stop())

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

it.each([
  ['a type that is an object with its own toString', '{"type":{"toString":1}}'],
  ['no type at all', '{}'],
  ['no object', 'null'],
  ['a desired state of 5,000 levels', `{"type":"desired","generation":1,"desired":${nested(5_000)}}`],
  ['half a million levels', nested(500_000)],
  ['settings of another type', '{"type":"settings","ca":[{"toString":1}]}'],
  ['a request whose kind is a property of every object', '{"type":"request","id":"a","kind":"toString"}'],
])('an agent goes on when its control plane sends %s', async (_name, text) => {
  await vi.waitFor(() => expect(lab.server.inventories).not.toEqual([]), waitTimeoutMs)
  lab.server.sendText(text)
  lab.server.sendAll({ type: 'request', id: 'after', kind: 'none', parameters: null })
  await vi.waitFor(() => expect(lab.server.answers.map(({ id }) => id)).toContain('after'), waitTimeoutMs)
  expect(lab.server.faults).toEqual([])
})

it('a session ends where a message meets a fault of the agent, and the agent dials again', async () => {
  await vi.waitFor(() => expect(lab.server.inventories).not.toEqual([]), waitTimeoutMs)
  isLogBroken = true
  lab.server.sendAll({ type: 'refused', of: 'log', message: 'no' })
  await vi.waitFor(() => expect(lab.server.hellos).toHaveLength(2), waitTimeoutMs)
})
