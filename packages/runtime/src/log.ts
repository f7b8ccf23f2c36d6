import { printable } from './text/table.js'

const levels = { debug: 20, info: 30, warn: 40, error: 50 } as const
export type LogLevel = keyof typeof levels
export type LogFields = Readonly<Record<string, unknown>>

/** One line an event: JSON with the keys of pino for machines, a readable line on a terminal. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export type LogFormat = 'json' | 'pretty'

export interface LogOptions {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly write: (line: string) => void
  readonly now?: () => number
}

/** Forty lines instead of pino, which would hold 2 MB on every node for the same output. */
export function createLog({ format, level, write, now = Date.now }: LogOptions): Log {
  const render = format === 'json' ? jsonLine : prettyLine
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (levels[name] >= levels[level]) write(render(name, now(), message, fields))
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function jsonLine(level: LogLevel, time: number, message: string, fields: LogFields): string {
  return `${JSON.stringify({ level: levels[level], time, name: 'roost-agent', msg: message, ...plain(fields) })}\n`
}

function prettyLine(level: LogLevel, time: number, message: string, fields: LogFields): string {
  const rest = Object.entries(plain(fields))
    .map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('')
  const clock = new Date(time).toISOString().slice(11, 23)
  // A message from outside must not be able to begin a line of its own, to move the cursor or to turn the direction.
  const text = printable(`${message}${rest}`)
  return `${clock} ${level.toUpperCase().padEnd(5)} ${text}\n`
}

function plain(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value.message : value]),
  )
}
