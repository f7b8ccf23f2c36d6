import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, progressOf } from './decide.js'
import type { DecisionRules, JobNow, TargetNow } from './decide.js'

const timeoutMs = 1_000
const rules = (oneByOne: boolean): DecisionRules => ({
  oneByOne,
  shutsOut: oneByOne,
  withoutTargets: 'No node is there.',
})

/** What a node may do between two checks. */
const happening = fc.record({
  node: fc.nat(),
  what: fc.constantFrom('applied', 'failed', 'rolled_back', 'staged', 'silent' as const),
  elapsedMs: fc.nat(700),
})

interface World {
  readonly targets: readonly TargetNow[]
  readonly finished: string | null
  readonly begunEver: readonly number[]
}

const start = (count: number): World => ({
  targets: Array.from({ length: count }, (_, nodeId) => ({
    nodeId,
    hostname: `p${nodeId}`,
    state: 'waiting',
    begun: false,
    answered: false,
    unconfirmed: false,
    attempts: 0,
    deadline: null,
    message: '',
  })),
  finished: null,
  begunEver: [],
})

const jobOf = (world: World): JobNow => ({ state: 'IN_PROGRESS', dryRun: false, targets: world.targets })
const isOpen = ({ state }: TargetNow) => ['waiting', 'planned', 'staged'].includes(state)

function check(world: World, oneByOne: boolean, now: number): World {
  const decision = decide(jobOf(world), rules(oneByOne), now)
  const targets = world.targets.map((target): TargetNow => {
    const { nodeId } = target
    if (decision.expire.includes(nodeId)) return { ...target, state: 'failed', message: 'silent' }
    if (decision.skip.includes(nodeId)) return { ...target, state: 'failed', message: 'skipped' }
    if (decision.begin.includes(nodeId)) return { ...target, begun: true, deadline: now + timeoutMs }
    return target
  })
  return { targets, finished: decision.finish?.state ?? null, begunEver: [...world.begunEver, ...decision.begin] }
}

function happen(world: World, { node, what }: { readonly node: number; readonly what: string }): World {
  const running = world.targets.filter((target) => target.begun && isOpen(target))
  const chosen = running[node % Math.max(1, running.length)]
  if (chosen === undefined || what === 'silent') return world
  const answered = what !== 'staged'
  const moved = { ...chosen, state: what as TargetNow['state'], answered, message: what }
  return { ...world, targets: world.targets.map((target) => (target === chosen ? moved : target)) }
}

describe('the state machine of a job', () => {
  it('comes to an end whatever its nodes do, begins each once, and one at a time where it must', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.boolean(), fc.array(happening), (count, oneByOne, story) => {
        let world = start(count)
        let now = 0
        const step = () => {
          world = check(world, oneByOne, now)
          const running = world.targets.filter((target) => target.begun && isOpen(target)).length
          expect(running).toBeLessThanOrEqual(oneByOne ? 1 : count)
        }
        for (const event of story) {
          step()
          world = happen(world, event)
          now += event.elapsedMs
        }
        for (let checks = 0; checks < 3 * count + 3 && world.finished === null; checks++) {
          step()
          now += timeoutMs
        }
        expect(world.finished).not.toBeNull()
        expect(new Set(world.begunEver).size).toBe(world.begunEver.length)
        const isApplied = world.targets.every(({ state }) => state === 'applied')
        expect(world.finished).toBe(isApplied ? 'COMPLETED_SUCCESS' : 'COMPLETED_FAILED')
      }),
    )
  })

  it('says nothing new when it is asked again after it was done', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.boolean(), fc.array(happening), (count, oneByOne, story) => {
        let world = start(count)
        for (const [index, event] of story.entries()) world = happen(check(world, oneByOne, index * 100), event)
        const now = story.length * 100
        let last = check(world, oneByOne, now)
        for (let checks = 0; checks <= count; checks++) last = check(last, oneByOne, now)
        expect(decide(jobOf(last), rules(oneByOne), now)).toMatchObject({ begin: [], expire: [], skip: [] })
      }),
    )
  })

  it('begins no node after one that could not do it, one after the other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), fc.constantFrom('failed', 'rolled_back'), (count, what) => {
        let world = happen(check(start(count), true, 0), { node: 0, what })
        for (let checks = 0; checks <= count; checks++) world = check(world, true, 0)
        expect(world).toMatchObject({ begunEver: [0], finished: 'COMPLETED_FAILED' })
      }),
    )
  })

  it('shows a progress from 0 to 100 that is 100 at the end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(happening), (count, story) => {
        let world = start(count)
        expect(progressOf(jobOf(world))).toBe(0)
        let last = 0
        for (const event of story) {
          world = happen(check(world, false, 0), event)
          const progress = progressOf(jobOf(world))
          expect(progress).toBeGreaterThanOrEqual(last)
          expect(progress).toBeLessThanOrEqual(100)
          last = progress
        }
        expect(progressOf({ ...jobOf(world), state: 'COMPLETED_FAILED' })).toBe(100)
      }),
    )
  })

  describe('that shuts users out', () => {
    const failed = { state: 'failed', begun: true } as const
    const notReached = { ...failed, message: 'Not reached: memcached 10.0.0.2:11211.' }
    const ended = (...changes: readonly Partial<TargetNow>[]) => {
      const targets = start(changes.length).targets.map((target, i) => ({ ...target, ...changes[i] }))
      return (dryRun: boolean) => decide({ state: 'IN_PROGRESS', dryRun, targets }, rules(true), 0).finish?.message
    }

    it('names each proxy on which they are not, by its reason', () => {
      const away = { ...failed, message: 'Not reached: this proxy is not connected.' }
      expect(ended(notReached, { state: 'applied' }, away, notReached)(false)).toBe(
        'Users who lost rights are shut out on 1 of 4 proxies. p0, p3: Not reached: memcached 10.0.0.2:11211. p2: Not reached: this proxy is not connected.',
      )
    })

    it('names the first one where each has answered, and in a plan', () => {
      const answered = { ...failed, answered: true, message: 'It would not start.' }
      const first = '1 of 2 nodes failed; the first: '
      expect(ended({ state: 'applied' }, answered)(false)).toBe(`${first}It would not start.`)
      expect(ended({ state: 'planned' }, notReached)(true)).toBe(`${first}Not reached: memcached 10.0.0.2:11211.`)
    })
  })

  it('fails at once without targets', () => {
    expect(decide({ state: 'QUEUED', dryRun: false, targets: [] }, rules(false), 0).finish).toEqual({
      state: 'COMPLETED_FAILED',
      message: 'No node is there.',
    })
  })
})
