import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFilesystems } from '../machine/filesystems.js'
import { openMachine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import { createStatfsProbe } from '../machine/statfs-probe.js'
import type { CollectorHost } from './engine/collector.js'
import { createCollectors } from './index.js'
import { Rates } from './engine/rates.js'

const fixtures = join(import.meta.dirname, 'fixtures')
const intervalMs = 10_000
/** When Swift's caches in the fixtures were read. */
const now = Date.parse('2026-11-20T11:24:50Z')
const collectors = createCollectors({ recon: { directory: '/var/cache/swift', now: () => now } })

/** Each folder holds a machine twice, 10 s apart, and what is to be read then; `vitest -u` writes that anew. */
describe.each(readdirSync(fixtures))('%s', (name) => {
  const first = hostOf(join(fixtures, name, 'first'))
  const second = hostOf(join(fixtures, name, 'second'))

  it.each(collectors.filter((collector) => collector.name !== 'agent'))('is read by $name', async (collector) => {
    const rates = new Rates()
    rates.valuesOf(await collector.read(first), 0)
    const measurements = await collector.read(second)
    const values = rates.valuesOf(measurements, intervalMs)
    const lines = measurements.map(
      ({ name, unit }, i) => `${name} ${Number((values[i] ?? 0).toPrecision(12))} ${unit}\n`,
    )
    await expect(lines.toSorted().join('')).toMatchFileSnapshot(
      join(fixtures, name, 'expected', `${collector.name}.txt`),
    )
  })
})

function hostOf(root: string): CollectorHost {
  // A clone of the repository has no times of its own.
  const machine = { ...openMachine(root), modifiedAt: () => now - 5_000 }
  const probe = createStatfsProbe({ run: statOf(root) })
  return { machine, filesystems: createFilesystems({ machine, probe }) }
}

/** Answers with the line of the file `statfs`; a mount that is not named there hangs. */
function statOf(root: string): RunCommand {
  const file = join(root, 'statfs')
  const answers = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return async (_file, args) => {
    const answer = answers.find((line) => line.startsWith(`${args.at(-1)} `))
    const stdout = answer?.slice(answer.indexOf(' ') + 1) ?? ''
    const outcome = answer === undefined ? 'timed_out' : 'exited'
    return { outcome, exitCode: answer === undefined ? null : 0, stdout, stderr: '', ended: Promise.resolve() }
  }
}
