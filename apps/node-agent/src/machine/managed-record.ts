import type * as z from 'zod/mini'
import { readManagedFile } from './managed-file.js'

/** A file of the agent holds what the agent did not write: a sentence with the remedy. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError'
}

const usualRemedy = 'Restore it from a backup, or move it away, restart the agent and deploy again.'

/** Reads what the agent wrote into a file as JSON; undefined when it is not there. Rejects with DamagedFileError. */
export async function readManagedRecord<S extends z.ZodMiniType>(
  path: string,
  schema: S,
  remedy = usualRemedy,
): Promise<z.infer<S> | undefined> {
  const bytes = await readManagedFile(path)
  if (bytes === undefined) return undefined
  const parsed = schema.safeParse(jsonOf(bytes.toString()))
  if (parsed.success) return parsed.data
  throw new DamagedFileError(`${path} is damaged. ${remedy}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
