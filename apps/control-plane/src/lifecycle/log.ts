import { pino } from 'pino'
import type { Logger } from 'pino'
import { PinoPretty } from 'pino-pretty'

export type Log = Logger

export interface LogOptions {
  readonly level: string
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

const secrets = ['authorization', 'password', 'token', 'key', 'apiKey', 'databaseUrl', 'cookie']

/** Creates the log: readable lines on a terminal, otherwise JSON. Fields with the name of a secret are hidden. */
export function createLog({ level, out }: LogOptions): Log {
  const options = {
    level,
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
