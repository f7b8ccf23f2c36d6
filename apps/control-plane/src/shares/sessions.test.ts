import type { DeploymentPlan, DesiredState } from '@roost/api-types/agent'
import { TestClock } from '@roost/testing'
import { nfsShare } from '@roost/testing/shares'
import { expect, it } from 'vitest'
import type { RequestAnswer } from '../agents/requests.js'
import { createPlanQueue } from './plan-queue.js'
import { createShareSessions } from './sessions.js'

/** Shares 1 to 12, of two gateways in turn, whose plans end when the test ends them. */
function scripted() {
  const clock = new TestClock()
  const asked: { readonly share: number; readonly end: (answer: RequestAnswer<DeploymentPlan>) => void }[] = []
  const ids = Array.from({ length: 12 }, (_, i) => i + 1)
  const idsOf = (node: number) => ids.filter((id) => id % 2 === node % 2)
  const service = createShareSessions({
    clock,
    getShare: async (id) => ({ node: `/api/v1/nodes/${id % 2 === 0 ? 2 : 1}/` }),
    inForce: async (node) => ({
      payload: JSON.stringify({ kind: 'gateway', shares: idsOf(node).map((id) => nfsShare(id)), storage: null }),
    }),
    plans: createPlanQueue({
      askForPlan(node: number, desired: DesiredState) {
        const kept = desired.kind === 'gateway' ? desired.shares.map(({ id }) => id) : []
        const [share = 0] = idsOf(node).filter((id) => !kept.includes(id))
        return new Promise((end) => asked.push({ share, end }))
      },
    }),
  })
  const settle = () => new Promise((resolve) => setTimeout(resolve, 1))
  return {
    clock,
    settle,
    sharesAsked: () => asked.map(({ share }) => share),
    /** Asks, and keeps the outcome: the number of sessions, or the error. */
    ask: (id: number) => {
      const outcome: { value?: unknown; retryAfterSeconds?: number } = {}
      service.get(id).then(
        ({ sessions }) => (outcome.value = sessions.length),
        ({ message, retryAfterSeconds }) => Object.assign(outcome, { value: message, retryAfterSeconds }),
      )
      return outcome
    },
    endPlan: async (share: number, answer?: RequestAnswer<DeploymentPlan>) => {
      const lost = [{ share: `share${share}`, client: '10.0.0.7', user: null }]
      const daemons = [{ daemon: 'nfs-kernel-server', action: 'reload' as const, sessions_lost: lost }]
      const plan = { files: [], daemons, mounts: { started: [], stopped: [] }, notes: [] }
      asked.findLast((each) => each.share === share)?.end(answer ?? { result: plan })
      await settle()
    },
  }
}

it('asks a gateway for one plan at a time, and refuses more shares than may wait, whatever other gateways do', async () => {
  const { ask, endPlan, settle, sharesAsked } = scripted()
  const outcomes = [1, 3, 5, 7, 9].map((id) => ask(id))
  await settle()
  const [refused, joined, other] = [ask(11), ask(9), ask(2)]
  await settle()
  expect(refused).toEqual({ value: expect.stringContaining('plans for other shares'), retryAfterSeconds: 15 })
  expect(sharesAsked()).toEqual([1, 2])
  await endPlan(2)
  expect(other.value).toBe(1)

  await endPlan(1)
  const accepted = ask(11)
  for (const share of [3, 5, 7, 9, 11]) {
    expect(sharesAsked().at(-1)).toBe(share)
    await endPlan(share)
  }
  expect([...outcomes, joined, accepted].map(({ value }) => value)).toEqual(Array.from({ length: 7 }, () => 1))
  expect(sharesAsked()).toEqual([1, 2, 3, 5, 7, 9, 11])
})

it('answers in 30 s, and the gateway gets no second plan before the first one ends', async () => {
  const { ask, clock, endPlan, settle, sharesAsked } = scripted()
  const first = ask(1)
  await settle()
  await clock.pass(29_999)
  await settle()
  expect(first.value).toBeUndefined()
  await clock.pass(1)
  await settle()
  expect(first).toEqual({ value: expect.stringContaining('has not answered yet'), retryAfterSeconds: 15 })

  const [again, waiting] = [ask(1), ask(3)]
  await clock.pass(30_000)
  await settle()
  expect(again.value).toBe(first.value)
  expect(waiting.value).toBe(first.value)
  const last = ask(1)
  await endPlan(1)
  expect(last.value).toBe(1)
  // The caller of share 3 is gone.
  expect(sharesAsked()).toEqual([1])
  const next = ask(3)
  await settle()
  expect(sharesAsked()).toEqual([1, 3])
  await endPlan(3, { error: 'Samba does not run.' })
  expect(next).toEqual({ value: 'Samba does not run.', retryAfterSeconds: 15 })
})
