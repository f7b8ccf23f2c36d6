import { expect, it } from 'vitest'
import { cpuMeasurements } from './cpu.js'
import { processMeasurements } from './processes.js'
import { Rates } from './engine/rates.js'

function shares(first: string, second: string): Record<string, number> {
  const rates = new Rates()
  rates.valuesOf(cpuMeasurements(first), 0)
  const measurements = cpuMeasurements(second)
  const values = rates.valuesOf(measurements, 10_000)
  return Object.fromEntries(measurements.map(({ name }, i) => [name, values[i] ?? 0]))
}

it('reports the percentage of each state, with guests as a part of user', () => {
  const found = shares('cpu  100 0 0 900 0 0 0 0 50 0\nintr 5', 'cpu  150 0 25 1125 0 0 0 0 90 0\nintr 9')
  expect(found['aggregation.cpu-average.cpu.user']).toBeCloseTo(50 / 3)
  expect(found['aggregation.cpu-average.cpu.system']).toBeCloseTo(25 / 3)
  expect(found['aggregation.cpu-average.cpu.idle']).toBe(75)
  expect(Object.keys(found)).toHaveLength(8)
})

it('has no value for a CPU that was idle or replaced, and has those of the others', () => {
  const found = shares('cpu  2 0 0 8\ncpu0 1 0 0 4\ncpu1 1 0 0 4\n', 'cpu  4 0 0 16\ncpu0 1 0 0 4\ncpu2 1 0 0 4\n')
  expect(found['cpu.0.idle']).toBeNaN()
  expect(found['cpu.2.idle']).toBeNaN()
  expect(found).not.toHaveProperty('cpu.1.idle')
  expect(found['aggregation.cpu-average.cpu.idle']).toBe(80)
})

it('finds forks and switches after a line of interrupts of any length', () => {
  const stat = `cpu 1 1 1 1\nintr 77 ${'0 '.repeat(50_000)}\nctxt 88\nbtime 1\nprocesses 99\nprocs_running 3\n`
  expect(processMeasurements(stat).map(({ name, value }) => `${name} ${value}`)).toEqual([
    'processes.fork_rate 99',
    'processes.contextswitch 88',
    'processes.interrupts 77',
    'processes.ps_state.running 3',
  ])
})
