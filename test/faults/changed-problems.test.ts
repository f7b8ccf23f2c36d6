import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { enrolledState, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

let clock: SimulatedClock
let state: Awaited<ReturnType<typeof enrolledState>>
let server: ScriptedControlPlane
let agent: TestAgent

beforeEach(async () => {
  clock = new SimulatedClock()
  server = await ScriptedControlPlane.start({ clock: () => clock.now() / 1000 })
  state = await enrolledState(`http://127.0.0.1:${server.port}`)
  server.script.publicKey = state.identity.publicKey
  agent = await startTestAgent({ dataDir: state.dataDir, clock })
  await clock.advanceUntil(() => server.inventories.length === 1, 60_000)
})

afterEach(async () => {
  await clock.advance(1)
  const stopped = agent.agent.stop()
  await clock.advance(10_000)
  await stopped
  await server.stop()
  await state.remove()
})

const messagesReported = () =>
  server.inventories.flatMap(({ inventory }) => inventory.problems.map(({ message }) => message))

it('reports another message of a problem within half a minute, and not each one of a message that changes all the time', async () => {
  for (let check = 1; check <= 20; check++) {
    agent.setProblem(`${check} files are not in Swift.`, 'messages')
    await clock.advance(15_000)
  }
  await clock.advance(30_000)
  const reported = messagesReported()
  expect(reported.at(-1)).toBe('20 files are not in Swift.')
  expect(reported.length).toBeGreaterThanOrEqual(8)
  expect(reported.length).toBeLessThanOrEqual(11)
})

it('reports a new problem within seconds, with the messages that waited', async () => {
  agent.setProblem('Swift does not answer.', 'messages')
  await clock.advance(1_000)
  agent.setProblem('Swift answers.', 'problems')
  await clock.advance(5_000)
  expect(messagesReported()).toEqual(['Swift answers.'])
  await clock.advance(60_000)
  expect(messagesReported()).toEqual(['Swift answers.'])
})
