import { systemClock } from '@roost/runtime'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { enrolledState, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

let state: Awaited<ReturnType<typeof enrolledState>>
let server: ScriptedControlPlane
let agent: TestAgent
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
  server = await ScriptedControlPlane.start({ clock: () => Date.now() / 1000 })
  state = await enrolledState(`http://127.0.0.1:${server.port}`)
  server.script.publicKey = state.identity.publicKey
  agent = await startTestAgent({ dataDir: state.dataDir, clock: systemClock, log })
})

afterEach(async () => {
  await agent.agent.stop()
  await server.stop()
  await state.remove()
})

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
  await vi.waitFor(() => expect(server.inventories).not.toEqual([]), waitTimeoutMs)
  server.sendText(text)
  server.sendAll({ type: 'request', id: 'after', kind: 'none', parameters: null })
  await vi.waitFor(() => expect(server.answers.map(({ id }) => id)).toContain('after'), waitTimeoutMs)
  expect(server.faults).toEqual([])
})

it('a session ends where a message meets a fault of the agent, and the agent dials again', async () => {
  await vi.waitFor(() => expect(server.inventories).not.toEqual([]), waitTimeoutMs)
  isLogBroken = true
  server.sendAll({ type: 'refused', of: 'log', message: 'no' })
  await vi.waitFor(() => expect(server.hellos).toHaveLength(2), waitTimeoutMs)
})
