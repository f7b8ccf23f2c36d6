import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { enrolledState, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

let state: Awaited<ReturnType<typeof enrolledState>>
let server: ScriptedControlPlane
let agent: TestAgent

beforeEach(async () => {
  server = await ScriptedControlPlane.start({ clock: () => Date.now() / 1000 })
  state = await enrolledState(`http://127.0.0.1:${server.port}`)
  server.script.publicKey = state.identity.publicKey
  agent = await startTestAgent({
    dataDir: state.dataDir,
    clock: systemClock,
    requests: {
      async end_tokens({ generation }) {
        if (generation === 0) throw new Error('no such generation')
        return { ended: generation, notes: [] }
      },
    },
  })
})

afterEach(async () => {
  await agent.agent.stop()
  await server.stop()
  await state.remove()
})

it('an agent answers every request: by its handler, with its error, or that it does not know the kind', async () => {
  await vi.waitFor(() => expect(server.inventories).not.toEqual([]), waitTimeoutMs)
  const ask = (id: string, kind: string, parameters: unknown) =>
    server.sendAll({ type: 'request', id, kind, parameters })
  ask('a', 'end_tokens', { generation: 3 })
  ask('b', 'end_tokens', { generation: 0 })
  ask('c', 'make_coffee', {})
  ask('d', 'end_tokens', { generation: 'all' })
  await vi.waitFor(() => expect(server.answers).toHaveLength(4), waitTimeoutMs)
  const answers = new Map(server.answers.map(({ id, result, error }) => [id, { result, error }]))
  expect(answers.get('a')).toEqual({ result: { ended: 3, notes: [] }, error: null })
  expect(answers.get('b')).toEqual({ result: null, error: 'no such generation' })
  expect(answers.get('c')?.error).toBe(
    "This agent does not support requests of the kind 'make_coffee'. Upgrade the agent.",
  )
  expect(answers.get('d')?.error).toContain('generation')
  expect(server.faults).toEqual([])
})
