import type { MetricDefinition } from '@roost/api-types/agent'
import { createLog, systemClock } from '@roost/runtime'
import type { Reading } from '../collectors/engine/reading.js'
import { readConfig } from '../config.js'
import { openContext } from '../context.js'
import { exitCodes } from './command/command-error.js'
import type { PrintFlags } from './command/flags.js'

/** Prints one reading. It takes a second, because rates need two looks at the machine. */
export async function collect(flags: PrintFlags): Promise<number> {
  const config = readConfig(flags)
  const log = createLog({ format: 'pretty', level: 'warn', write: (line) => process.stderr.write(line) })
  // The port belongs to the agent that runs, and nothing would be sent within this second.
  const quiet = { ...config, statsd: { ...config.statsd, enabled: false } }
  const context = openContext(quiet, systemClock, log)
  try {
    const reading = await context.readings.read()
    process.stdout.write(flags.output === 'json' ? json(reading) : table(reading))
    return exitCodes.ok
  } finally {
    await context.close()
  }
}

interface Row extends MetricDefinition {
  readonly value: number
}

function rowsOf({ metrics, values }: Reading): readonly Row[] {
  return metrics
    .map((metric, i) => ({ ...metric, value: values[i] ?? Number.NaN }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the reading as JSON, which has no NaN: a metric without a value is null. */
function json(reading: Reading): string {
  const metrics = rowsOf(reading).map((row) => ({ ...row, value: Number.isNaN(row.value) ? null : row.value }))
  return `${JSON.stringify({ time: reading.time, metrics }, undefined, 2)}\n`
}

function table(reading: Reading): string {
  const rows = rowsOf(reading).map(({ name, value, unit }) => ({ name, value: valueText(value), unit }))
  const nameWidth = Math.max(0, ...rows.map(({ name }) => name.length))
  const valueWidth = Math.max(0, ...rows.map(({ value }) => value.length))
  const lines = rows.map(
    ({ name, value, unit }) => `${name.padEnd(nameWidth)}  ${value.padStart(valueWidth)}  ${unit}\n`,
  )
  return lines.join('')
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return '-'
  return Number.isInteger(value) ? String(value) : value.toFixed(3)
}
