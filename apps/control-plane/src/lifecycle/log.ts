import { printable } from '@roost/runtime'
import { pino } from 'pino'
import type { Logger, LoggerOptions } from 'pino'
import { PinoPretty } from 'pino-pretty'
import { limitNodeLines } from './node-lines.js'

export type Log = Logger

export interface LogOptions {
  readonly level: string
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

const secrets = ['authorization', 'password', 'token', 'key', 'apiKey', 'databaseUrl', 'cookie']

/** Creates the log: readable lines on a terminal, otherwise JSON. Fields with the name of a secret are hidden. */
export function createLog({ level, out }: LogOptions): Log {
  const isAllowed = limitNodeLines(() => performance.now())
  const options: LoggerOptions = {
    level,
    hooks: {
      logMethod(args, method) {
        if (isAllowed(args[0])) method.apply(this, args)
      },
    },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
  }
  if (!out.isTTY) return pino(options, out)
  const pretty = PinoPretty({
    destination: out,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    singleLine: true,
    // What others wrote must not be able to begin a line of its own, to move the cursor or to turn the direction.
    messageFormat: (line, key) => (typeof line[key] === 'string' ? printable(line[key]) : ''),
  })
  // In a line of JSON the fields have no other control characters than these.
  return pino(options, { write: (line) => pretty.write(`${printable(line.trimEnd())}\n`) })
}
