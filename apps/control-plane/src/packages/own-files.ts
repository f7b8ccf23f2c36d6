import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeFileAtomically } from '@roost/runtime'
import { ownFolder, parsePackageName } from './files.js'

/** A package that cannot be added or removed. */
export class PackageError extends Error {
  override readonly name = 'PackageError'
}

interface ReadPackage {
  readonly file: string
  readonly bytes: Uint8Array
  readonly signature: Uint8Array | undefined
}

/** Copies packages of the agent into the data directory, each with the signature beside it; returns their paths. Throws PackageError. */
export async function addPackages(dataDir: string, paths: readonly string[]): Promise<readonly string[]> {
  const read = await Promise.all(paths.map((path) => readPackage(path)))
  await becomeOwner(dataDir)
  const folder = ownFolder(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o755 }).catch(cannot('create', folder))
  const targets: string[] = []
  for (const { file, bytes, signature } of read) {
    const target = join(folder, file)
    await rm(`${target}.sig`, { force: true })
    await writeFileAtomically(target, bytes, { mode: 0o644 }).catch(cannot('write', target))
    if (signature !== undefined)
      await writeFileAtomically(`${target}.sig`, signature, { mode: 0o644 }).catch(cannot('write', target))
    targets.push(target)
  }
  return targets
}

async function readPackage(path: string): Promise<ReadPackage> {
  const file = basename(path)
  if (parsePackageName(file)?.name !== 'roost-agent')
    throw new PackageError(`${file} is not a package of the agent, such as roost-agent_1.0.0_amd64.deb.`)
  const bytes = await readFile(path).catch(cannot('read', path))
  return { file, bytes, signature: await readFile(`${path}.sig`).catch(() => undefined) }
}

/** Removes a package that was added. Throws PackageError. */
export async function removePackage(dataDir: string, file: string): Promise<void> {
  const path = join(ownFolder(dataDir), file)
  await becomeOwner(dataDir)
  if (parsePackageName(file) === undefined) throw new PackageError(`${file} is not the name of a package.`)
  await rm(path).catch(cannot('remove', path))
  await rm(`${path}.sig`, { force: true })
}

/**
 * Gives up root's rights for the rest of the process, where another account owns the data directory: as root, a link that it
 * has left there would be followed.
 */
async function becomeOwner(dataDir: string): Promise<void> {
  const owner = await stat(dataDir).catch(cannot('read', dataDir))
  if (process.getuid?.() !== 0 || owner.uid === 0) return
  process.setgroups?.([owner.gid])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}

function cannot(verb: string, path: string) {
  return ({ code }: NodeJS.ErrnoException): never => {
    const cause = code === 'ENOENT' ? 'it does not exist' : code
    throw new PackageError(`Cannot ${verb} ${path}: ${cause}.`)
  }
}
