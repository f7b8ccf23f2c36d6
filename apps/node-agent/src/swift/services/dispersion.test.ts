import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { TestClock } from '@roost/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createNodeProblems } from '../../machine/problems.js'
import { runCommand } from '../../machine/run-command.js'
import { watchDispersion } from './dispersion.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roost-dispersion-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A program that prints what `swift-dispersion-report` of Swift 2.30 prints. */
function program(text: string): void {
  const path = join(folder, 'report')
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

// What Swift 2.30 printed for 64 containers and objects of two copies each, with all devices and with one emptied.
const complete = { retries: 0, overlapping: 0, pct_found: 100, copies_found: 128, copies_expected: 128, missing_0: 64 }
const short = { ...complete, pct_found: 75, copies_found: 96, missing_1: 32, missing_0: 32 }

/** Measures with each program in turn. Returns the problems after each. */
async function measure(...texts: readonly string[]) {
  const [clock, problems] = [new TestClock(), createNodeProblems()]
  const errors: unknown[] = []
  const watch = watchDispersion({
    run: runCommand,
    program: join(folder, 'report'),
    intervalMs: 3_600_000,
    policies: () => ['gold'],
    problems,
    clock,
    onError: (error) => void errors.push(error),
  })
  await clock.pass(599_999)
  const found = []
  for (const text of texts) {
    program(text)
    const measured = new Promise<void>((resolve) => void problems.onChange(() => resolve()))
    await clock.pass(found.length === 0 ? 1 : 3_600_000)
    await measured
    found.push(problems.list())
    // The next measurement is due once this one has ended.
    await setImmediate()
  }
  await watch.stop()
  expect(errors).toEqual([])
  return found
}

const printed = (report: object) => `[ "$3" = gold ] && echo '${JSON.stringify(report)}'`

it('finds objects whose copies are not where the ring has them, until they are', async () => {
  const reports = [
    { container: complete, object: short },
    { container: complete, object: complete },
  ]
  const [found, healed] = await measure(...reports.map(printed))
  expect(found).toMatchObject([{ code: 'dispersion_low', severity: 'warning', subject: 'gold' }])
  expect(found?.[0]?.message).toContain(
    '96 of 128 object copies of policy gold are where the ring has them; a partition lacks up to 1',
  )
  expect(healed).toEqual([])
})

it('says why it could not measure', async () => {
  const [failed, empty] = await measure(
    'printf "Traceback:\\n  line 1\\nNo such user\\n" >&2; exit 1',
    `echo "No objects to query." >&2; ${printed({ container: null, object: null })}`,
  )
  expect(failed).toMatchObject([{ code: 'dispersion_unknown', subject: 'gold' }])
  expect(failed?.[0]?.message).toContain('(No such user)')
  expect(empty?.[0]?.message).toContain('(No objects to query.)')
})
