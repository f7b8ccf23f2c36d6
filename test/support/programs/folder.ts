import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Creates a folder for the calling file, which awaits it before its tests; it is removed after them. */
export async function useFolder(name: string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), `roost-${name}-`))
  afterAll(() => rm(path, { recursive: true, force: true }))
  return path
}
