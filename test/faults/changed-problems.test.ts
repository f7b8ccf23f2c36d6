import { beforeEach, expect, it } from 'vitest'
import { useAgentLab } from '../support/agents/agent-lab.js'

const lab = useAgentLab()
beforeEach(async () => {
  await lab.connect()
  await lab.clock.advanceUntil(() => lab.server.inventories.length === 1, 60_000)
})

const messagesReported = () =>
  lab.server.inventories.flatMap(({ inventory }) => inventory.problems.map(({ message }) => message))

it('reports another message of a problem after half a minute', async () => {
  lab.agent.setProblem('1 file is not in Swift.', 'messages')
  await lab.clock.advance(29_900)
  expect(messagesReported()).toEqual([])
  await lab.clock.advance(200)
  expect(messagesReported()).toEqual(['1 file is not in Swift.'])
})

it('reports a message that changes all the time every half a minute', async () => {
  for (let check = 1; check <= 20; check++) {
    lab.agent.setProblem(`${check} files are not in Swift.`, 'messages')
    await lab.clock.advance(15_000)
  }
  await lab.clock.advance(30_000)
  const reported = messagesReported()
  expect(reported.at(-1)).toBe('20 files are not in Swift.')
  expect(reported.length).toBeGreaterThanOrEqual(8)
  expect(reported.length).toBeLessThanOrEqual(11)
})

it('reports a new problem after three seconds, with the messages that waited', async () => {
  lab.agent.setProblem('Swift does not answer.', 'messages')
  await lab.clock.advance(1_000)
  lab.agent.setProblem('Swift answers.', 'problems')
  await lab.clock.advance(2_900)
  expect(messagesReported()).toEqual([])
  await lab.clock.advance(200)
  expect(messagesReported()).toEqual(['Swift answers.'])
  await lab.clock.advance(60_000)
  expect(messagesReported()).toEqual(['Swift answers.'])
})
