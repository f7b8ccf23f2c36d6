import { readFile } from 'node:fs/promises'
import { CommandError, exitCodes } from './exit-codes.js'
import { readSecret } from './secret-input.js'

/** Reads the key of a login: the first line of a file, or of standard input for `-`. Every account of the machine can read command lines. */
export async function readKeyOf(login: string, path: string, err: Parameters<typeof readSecret>[2]): Promise<string> {
  const key = path === '-' ? await readSecret(`Key of ${login}: `, process.stdin, err) : await readKey(path)
  if (key === '')
    throw new CommandError('The key is empty. Pass the key with --key-file or on standard input.', exitCodes.usage)
  return key
}

/** Reads the certificates of the authorities to trust; undefined without a path. */
export async function readCaFile(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readFile(path, 'utf8').catch(refuse('CA'))
}

async function readKey(path: string): Promise<string> {
  const content = await readFile(path, 'utf8').catch(refuse('key'))
  return content.split('\n', 1)[0]?.trim() ?? ''
}

function refuse(kind: string): (error: NodeJS.ErrnoException) => never {
  return ({ code, path }) => {
    throw new CommandError(`Cannot read the ${kind} file ${path} (${code}).`, exitCodes.usage)
  }
}
