import { readdir } from 'node:fs/promises'

/** Lists the names in a folder, sorted; none when it is not there: it is made with its first file. */
export async function listFolder(dir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dir)).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
