import type { DeploymentPlan } from '@roost/api-types/agent'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { truncateDriftDiffs, truncatePlanDiffs } from './truncate-diffs.js'

/** The control plane ends a session for a message above this size. */
const messageBytes = 1 << 20
const lines = (count: number, line = '+ a line of a diff\n') => line.repeat(count)
const file = (diff: string, path = '/etc/samba/roost.conf') => ({ path, change: 'change' as const, diff })
const planOf = (...diffs: readonly string[]): DeploymentPlan => ({
  files: diffs.map((diff, index) => file(diff, `/etc/${index}`)),
  daemons: [],
  mounts: { started: [], stopped: [] },
  notes: [],
})
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('the diffs of a plan', () => {
  it('are unchanged while the plan fits', () => {
    const plan = planOf(lines(1000), lines(3))
    expect(truncatePlanDiffs(plan)).toEqual(plan)
  })

  it('are cut after complete lines, the longest ones only, with a line that gives the number of missing lines', () => {
    const long = lines(100_000)
    const [cut, short] = truncatePlanDiffs(planOf(long, lines(3))).files
    expect(short?.diff).toBe(lines(3))
    const [, kept = '', missing] =
      /^((?:\+ a line of a diff\n)*)\\ (\d+) more lines are not shown/.exec(cut?.diff ?? '') ?? []
    expect(long.startsWith(kept)).toBe(true)
    expect(kept.split('\n').length - 1 + Number(missing)).toBe(100_000)
  })

  it('leave a plan that fits into a message, names every file and is always the same, whatever they contain', () => {
    const diff = fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 0, max: 20_000 }))
    fc.assert(
      fc.property(fc.array(diff, { maxLength: 6 }), (diffs) => {
        const plan = planOf(...diffs.map(([line, count]) => lines(count, `${line}\n`)))
        const truncated = truncatePlanDiffs(plan)
        expect(sizeOf(truncated)).toBeLessThan(messageBytes)
        expect(truncated.files.map(({ path }) => path)).toEqual(plan.files.map(({ path }) => path))
        expect(truncatePlanDiffs(plan)).toEqual(truncated)
      }),
      { numRuns: 10 },
    )
  })
})

it('drift fits into a message too', () => {
  const items = Array.from({ length: 50 }, (_, index) => ({
    subject: `/etc/${index}`,
    message: 'changed',
    diff: lines(5000),
  }))
  const truncated = truncateDriftDiffs(items)
  expect(sizeOf(truncated)).toBeLessThan(messageBytes)
  expect(truncated.map(({ subject }) => subject)).toEqual(items.map(({ subject }) => subject))
})
