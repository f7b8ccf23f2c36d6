import type { LogMessage } from '@roost/api-types/agent'
import type { Clock } from '../clock.js'
import type { Log, LogFields } from '../log.js'

const perMinute = 10
const minuteMs = 60_000

/** The agent's log, whose warnings and errors the control plane hears too: at most ten a minute, and none while it is away. */
export function toldLog(log: Log, clock: Clock, tell: (level: LogMessage['level'], message: string) => void): Log {
  let minuteBegan = -Infinity
  let told = 0
  const telling =
    (level: 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      log[level](message, fields)
      const now = clock.monotonic()
      if (now - minuteBegan >= minuteMs) [minuteBegan, told] = [now, 0]
      told += 1
      if (told <= perMinute) tell(level, inWords(message, fields))
    }
  return { ...log, warn: telling('warn'), error: telling('error') }
}

function inWords(message: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}: ${value instanceof Error ? value.message : JSON.stringify(value)}`,
  )
  return [message, ...rest].join(' ')
}
