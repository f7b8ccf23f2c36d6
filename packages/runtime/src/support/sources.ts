import { lstat, open, readdir, readFile } from 'node:fs/promises'
import { arch, cpus, hostname, release, totalmem, uptime } from 'node:os'
import { join } from 'node:path'

/** Returns the end of a file. */
export async function readTail(path: string, bytes: number): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - bytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Describes the machine and the process. */
export async function describeMachine(): Promise<object> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return {
    hostname: hostname(),
    system: /^PRETTY_NAME="?([^"\n]*)/m.exec(system)?.[1] ?? null,
    kernel: release(),
    architecture: arch(),
    node: process.version,
    cpus: cpus().length,
    memory_bytes: totalmem(),
    uptime_s: Math.round(uptime()),
  }
}

export interface FileSize {
  readonly path: string
  readonly bytes: number
  readonly files: number
  readonly mode: string
  readonly owner: number
}

/** Lists what a folder contains, each entry with everything below it. No content of a file is read. */
export async function listSizes(folder: string): Promise<readonly FileSize[]> {
  const names = (await readdir(folder)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const { mode, uid } = await lstat(path)
      return { path: name, ...(await sizeOf(path)), mode: (mode & 0o7777).toString(8), owner: uid }
    }),
  )
}

/** Files may be removed meanwhile, as those of a database. */
async function sizeOf(path: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return { bytes: 0, files: 0 }
  if (!found.isDirectory()) return { bytes: found.size, files: 1 }
  const sum = { bytes: 0, files: 0 }
  for (const name of await readdir(path).catch(() => [])) {
    const { bytes, files } = await sizeOf(join(path, name))
    sum.bytes += bytes
    sum.files += files
  }
  return sum
}
