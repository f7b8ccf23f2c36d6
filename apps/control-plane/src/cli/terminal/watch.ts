import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { Terminal } from './terminal.js'

export interface WatchOptions {
  /** Seconds between two readings; true for the default. */
  readonly watch?: number | true
}

const defaultSeconds = 2

export function withWatch(command: Command): Command {
  return command.option(
    '-w, --watch [seconds]',
    `print again every ${defaultSeconds} seconds, or that many`,
    (text) => {
      if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Use whole seconds, such as 5.')
      return Number(text)
    },
  )
}

/** Runs a command once or, with `--watch`, again and again until the process gets a signal. */
export async function watched(
  { out, stopping, style }: Terminal,
  { watch }: WatchOptions,
  run: () => Promise<void>,
): Promise<void> {
  if (watch === undefined) return run()
  const seconds = watch === true ? defaultSeconds : watch
  style.pager = null
  while (!stopping.aborted) {
    if (out.isTTY) out.write('\u001B[H\u001B[2J')
    await run()
    await sleep(seconds * 1000, undefined, { signal: stopping }).catch(() => undefined)
  }
}
