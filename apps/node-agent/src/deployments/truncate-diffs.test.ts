import type { DeploymentPlan } from '@roost/api-types/agent'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitDrift, fitPlan } from './truncate-diffs.js'

/** The control plane ends a session for a message above it. */
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

describe('a plan that is told', () => {
  it('is told whole while it fits', () => {
    const plan = planOf(lines(1000), lines(3))
    expect(fitPlan(plan)).toEqual(plan)
  })

  it('has its longest diffs cut after whole lines, with a line that says how much is missing', () => {
    const long = lines(100_000)
    const [cut, short] = fitPlan(planOf(long, lines(3))).files
    expect(short?.diff).toBe(lines(3))
    const [, kept = '', missing] =
      /^((?:\+ a line of a diff\n)*)\\ (\d+) more lines are not shown/.exec(cut?.diff ?? '') ?? []
    expect(long.startsWith(kept)).toBe(true)
    expect(kept.split('\n').length - 1 + Number(missing)).toBe(100_000)
  })

  it('fits into a message, names every file and is always cut in the same way, whatever is in it', () => {
    const diff = fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 0, max: 20_000 }))
    fc.assert(
      fc.property(fc.array(diff, { maxLength: 6 }), (diffs) => {
        const plan = planOf(...diffs.map(([line, count]) => lines(count, `${line}\n`)))
        const fitted = fitPlan(plan)
        expect(sizeOf(fitted)).toBeLessThan(messageBytes)
        expect(fitted.files.map(({ path }) => path)).toEqual(plan.files.map(({ path }) => path))
        expect(fitPlan(plan)).toEqual(fitted)
      }),
      { numRuns: 10 },
    )
  })
})

it('what drifted fits into a message too', () => {
  const items = Array.from({ length: 50 }, (_, index) => ({
    subject: `/etc/${index}`,
    message: 'changed',
    diff: lines(5000),
  }))
  const fitted = fitDrift(items)
  expect(sizeOf(fitted)).toBeLessThan(messageBytes)
  expect(fitted.map(({ subject }) => subject)).toEqual(items.map(({ subject }) => subject))
})
