import { join } from 'node:path'
import type { Settings } from '@roost/api-types/agent'
import * as z from 'zod/mini'
import { _default } from 'zod/mini'
import { readManagedFile, writeManagedFile } from '../machine/managed-file.js'

const second = 1000
const hour = 3_600_000

/** The intervals of the agent. The control plane sets them, and the last ones are kept over restarts. */
const Pace = z.object({
  reportIntervalMs: z.number(),
  heartbeatIntervalMs: z.number(),
  inventoryIntervalMs: z.number(),
  /** The window for the first attempt after a lost connection. */
  reconnectSpreadMs: z.number(),
  /** How history is recorded; null: it is not. Versions before 0.2.0 saved none. */
  history: _default(z.nullable(z.object({ windowMs: z.number(), mantissa: z.number() })), null),
})
export type Pace = z.infer<typeof Pace>

/** Until the control plane has set another. */
export const firstPace: Pace = {
  reportIntervalMs: 10 * second,
  heartbeatIntervalMs: 15 * second,
  inventoryIntervalMs: hour,
  reconnectSpreadMs: 30 * second,
  history: null,
}

/** Limits the intervals of the control plane to those that cannot harm the node. */
export function paceOf(settings: Settings): Pace {
  return {
    reportIntervalMs: within(settings.report_interval_ms, second, hour),
    heartbeatIntervalMs: within(settings.heartbeat_interval_ms, second, hour),
    inventoryIntervalMs: within(settings.inventory_interval_ms, 10 * second, 24 * hour),
    reconnectSpreadMs: within(settings.reconnect_spread_ms, 0, hour),
    history: settings.history
      ? { windowMs: settings.history.window_s * second, mantissa: settings.history.mantissa }
      : null,
  }
}

/** Reads the intervals that were set before this start; the defaults if the file is damaged. */
export async function readPace(dataDir: string): Promise<Pace> {
  const bytes = await readManagedFile(pacePath(dataDir))
  if (bytes === undefined) return firstPace
  try {
    return Pace.parse(JSON.parse(bytes.toString()))
  } catch {
    return firstPace
  }
}

export async function savePace(dataDir: string, pace: Pace): Promise<void> {
  await writeManagedFile(pacePath(dataDir), `${JSON.stringify(pace)}\n`)
}

function pacePath(dataDir: string): string {
  return join(dataDir, 'pace.json')
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
