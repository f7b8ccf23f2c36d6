import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { parse } from 'yaml'
import { CommandError, exitCodes } from './exit-codes.js'

/** Reads the settings of a receiver of alerts, which are secret: YAML or JSON from a file, or from standard input for `-`. */
export async function readSettings(path: string): Promise<unknown> {
  const read = path === '-' ? textOf(process.stdin) : readFile(path, 'utf8')
  const content = await read.catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read the settings file ${path} (${code}).`, exitCodes.usage)
  })
  try {
    return parse(content)
  } catch {
    // The message of the parser would quote a secret.
    throw new CommandError(`The settings file ${path} is neither YAML nor JSON.`, exitCodes.usage)
  }
}
