import type { LogMessage } from '@roost/api-types/agent'
import type { Clock, Log, LogFields } from '@roost/runtime'

const perMinute = 10
const minuteMs = 60_000

/** Creates the agent's log. Warnings and errors are also forwarded to the control plane: at most ten a minute, and none while it is not connected. */
export function forwardingLog(
  log: Log,
  clock: Clock,
  forward: (level: LogMessage['level'], message: string) => void,
): Log {
  let minuteBegan = -Infinity
  let forwarded = 0
  const forwarding =
    (level: 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      log[level](message, fields)
      const now = clock.monotonic()
      if (now - minuteBegan >= minuteMs) [minuteBegan, forwarded] = [now, 0]
      forwarded += 1
      if (forwarded <= perMinute) forward(level, sentence(message, fields))
    }
  return { ...log, warn: forwarding('warn'), error: forwarding('error') }
}

function sentence(message: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}: ${value instanceof Error ? value.message : JSON.stringify(value)}`,
  )
  return [message, ...rest].join(' ')
}
