import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { startScriptedAgent } from '../support/agents/agent-lab.js'
import type { ScriptedAgent } from '../support/agents/agent-lab.js'

let lab: ScriptedAgent
beforeEach(async () => {
  lab = await startScriptedAgent(systemClock, {
    requests: {
      async end_tokens({ generation }) {
        if (generation === 0) throw new Error('no such generation')
        return { ended: generation, notes: [] }
      },
    },
  })
})
afterEach(() => lab.stop())

it('an agent answers every request: by its handler, with its error, or that it does not know the kind', async () => {
  await vi.waitFor(() => expect(lab.server.inventories).not.toEqual([]), waitTimeoutMs)
  const ask = (id: string, kind: string, parameters: unknown) =>
    lab.server.sendAll({ type: 'request', id, kind, parameters })
  ask('a', 'end_tokens', { generation: 3 })
  ask('b', 'end_tokens', { generation: 0 })
  ask('c', 'make_coffee', {})
  ask('d', 'end_tokens', { generation: 'all' })
  await vi.waitFor(() => expect(lab.server.answers).toHaveLength(4), waitTimeoutMs)
  const answers = new Map(lab.server.answers.map(({ id, result, error }) => [id, { result, error }]))
  expect(answers.get('a')).toEqual({ result: { ended: 3, notes: [] }, error: null })
  expect(answers.get('b')).toEqual({ result: null, error: 'no such generation' })
  expect(answers.get('c')?.error).toBe(
    "This agent does not support requests of the kind 'make_coffee'. Upgrade the agent.",
  )
  expect(answers.get('d')?.error).toContain('generation')
  expect(lab.server.faults).toEqual([])
})
