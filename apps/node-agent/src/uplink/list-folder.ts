import { readdir } from 'node:fs/promises'

/** The names in a folder, sorted; none when it is not there: it is made with its first file, when the disk allows. */
export async function listFolder(dir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dir)).toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
