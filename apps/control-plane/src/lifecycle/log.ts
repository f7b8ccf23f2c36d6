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
  return pino(
    options,
    PinoPretty({
      destination: out,
      sync: true,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname',
      singleLine: true,
    }),
  )
}
