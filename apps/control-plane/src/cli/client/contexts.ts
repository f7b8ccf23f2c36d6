import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '@roost/runtime'
import { readShell } from '../../config/shell.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'

/** A control plane that the command line can call, as `roost login` stores it. */
export interface Context {
  readonly url: string
  /** PEM of the authority to trust; null if those of the system are trusted. */
  readonly ca: string | null
  /** NAME:KEY. */
  readonly apiKey: string
}

export interface Contexts {
  readonly current: string | null
  readonly contexts: Readonly<Record<string, Context>>
}

export function contextsPath(): string {
  return join(readShell().configDir, 'contexts.json')
}

/** Reads the stored contexts; none where the file is missing. */
export async function readContexts(): Promise<Contexts> {
  const path = contextsPath()
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new CommandError(`Cannot read ${path} (${error.code}).`)
  })
  if (text === undefined) return { current: null, contexts: {} }
  try {
    return JSON.parse(text) as Contexts
  } catch {
    throw new CommandError(`${path} is not valid JSON. Correct it, or remove it and run "roost login" again.`)
  }
}

/** Writes the contexts so that only this account can read them: they contain keys. */
export async function writeContexts(contexts: Contexts): Promise<void> {
  const { configDir } = readShell()
  try {
    await mkdir(configDir, { recursive: true, mode: 0o700 })
    await writeFileAtomically(contextsPath(), `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 })
  } catch (error) {
    throw new CommandError(`Cannot write ${contextsPath()} (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Returns the context of a name. */
export function contextNamed({ contexts }: Contexts, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (context !== undefined) return context
  const known = Object.keys(contexts)
  const hint = known.length === 0 ? 'Create one with "roost login URL".' : `Contexts: ${known.join(', ')}.`
  throw new CommandError(`There is no context '${name}'. ${hint}`, exitCodes.notFound)
}
