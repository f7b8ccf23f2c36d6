import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../../bin/roost-agent.js', import.meta.url))
const machine = fileURLToPath(new URL('../collectors/fixtures/linux-3.10/first', import.meta.url))

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'roost-collect-'))
})
afterEach(() => rmSync(state, { recursive: true }))

function collect(...args: readonly string[]) {
  const all = [program, '--data-dir', state, 'collect', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env: {} })
  return { status, stdout, stderr }
}

interface Printed {
  readonly time: number
  readonly metrics: readonly { readonly name: string; readonly value: number | null; readonly unit: string }[]
}

it('prints a table of every metric, sorted, for a machine that was never enrolled', () => {
  const { status, stdout, stderr } = collect()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const names = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')[0] ?? '']))
  expect(names.length).toBeGreaterThan(150)
  expect(names).toEqual(names.toSorted())
  expect(stdout).toMatch(/^load\.shortterm +\d+(\.\d+)? {2}load$/m)
  expect(stdout).toMatch(/^aggregation\.cpu-average\.cpu\.idle +\d+(\.\d+)? {2}percent$/m)
})

it('prints JSON with null for what has no value', () => {
  const { metrics, time } = JSON.parse(collect('-o', 'json', '--root', machine).stdout) as Printed
  const valueOf = (name: string) => metrics.find((metric) => metric.name === name)
  expect(valueOf('load.longterm')).toEqual({
    name: 'load.longterm',
    value: 3,
    unit: 'load',
    aggregation: 'mean',
  })
  // Its counters stand still, so that no operation took any time.
  expect(valueOf('disk.sda.disk_time.read')).toHaveProperty('value', null)
  expect(valueOf('disk.sda.disk_ops.read')).toHaveProperty('value', 0)
  expect(Math.abs(Date.now() / 1_000 - time)).toBeLessThan(600)
})

it('refuses a wrong argument with exit code 2', () => {
  expect(collect('--jsn').status).toBe(2)
  expect(collect('-o', 'yaml').status).toBe(2)
})
