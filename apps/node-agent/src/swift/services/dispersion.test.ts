import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
function program(text: string): string {
  const path = join(folder, 'report')
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

const complete = { retries: 0, overlapping: 0, pct_found: 100, copies_found: 1_530, copies_expected: 1_530 }
const short = { retries: 4, overlapping: 0, pct_found: 99.8, copies_found: 1_527, copies_expected: 1_530, missing_1: 3 }

async function problemsOf(path: string) {
  const [clock, problems] = [new TestClock(), createNodeProblems()]
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const policies = () => ['gold']
  const options = { run: runCommand, program: path, intervalMs: 3_600_000, policies, problems, clock, onError }
  const watch = watchDispersion(options)
  const measured = new Promise<void>((resolve) => void problems.onChange(() => resolve()))
  await clock.pass(599_999)
  expect(problems.list()).toEqual([])
  await clock.pass(1)
  await measured
  await watch.stop()
  expect(errors).toEqual([])
  return problems.list()
}

it('finds objects whose copies are not where the ring has them', async () => {
  const json = JSON.stringify({ container: complete, object: short })
  const [found, ...others] = await problemsOf(program(`[ "$3" = gold ] && echo '${json}'`))
  expect(others).toEqual([])
  expect(found).toMatchObject({ code: 'dispersion_low', severity: 'warning', subject: 'gold' })
  expect(found?.message).toContain('1527 of 1530 object copies of policy gold')
})

it('says why it could not measure', async () => {
  const failed = await problemsOf(program('echo "No such user" >&2; exit 1'))
  expect(failed).toMatchObject([{ code: 'dispersion_unknown', subject: 'gold' }])
  expect(failed[0]?.message).toContain('No such user')
  const empty = program(
    'echo "No objects to query. Has swift-dispersion-populate been run?" >&2; echo \'{"object": null}\'',
  )
  expect((await problemsOf(empty))[0]?.message).toContain('No objects to query')
})
