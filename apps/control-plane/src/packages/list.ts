import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { compareVersions, releaseOf } from '@roost/api-types/agent'
import { packageFiles } from './files.js'
import type { PackageFile } from './files.js'

/** A package that the control plane offers. */
export interface Package extends PackageFile {
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
  /** The signature with the release key, in base64, where there is one. */
  readonly signature?: string
}

export interface Packages {
  /** Lists the files without reading them. */
  files(): Promise<readonly PackageFile[]>
  list(): Promise<readonly Package[]>
}

/** Reads the packages of these folders at each call; a file is hashed again when it has changed. */
export function createPackages(folders: readonly string[]): Packages {
  const digests = new Map<string, Promise<string>>()

  const describe = async (file: PackageFile): Promise<Package> => {
    const { size, mtimeMs, ino } = await stat(file.path)
    const version = `${file.path} ${ino} ${size} ${mtimeMs}`
    const digest = digests.get(version) ?? digestOf(file.path)
    digests.set(version, digest)
    const signature = await readFile(`${file.path}.sig`, 'utf8').catch(() => undefined)
    return {
      ...file,
      bytes: size,
      sha256: await digest,
      ...(signature === undefined ? {} : { signature: signature.trim() }),
    }
  }

  return {
    files: () => packageFiles(folders),
    // A file may be removed while it is read.
    list: async () => {
      const described = await Promise.all((await packageFiles(folders)).map((file) => describe(file).catch(() => [])))
      return described.flat()
    },
  }
}

/** Returns the packages of the agent for new nodes: the newest of a release that is not newer than that of the control plane. */
export function agentPackages<F extends PackageFile>(files: readonly F[], version: string): readonly F[] {
  const isFitting = (file: F) => compareVersions(releaseOf(file.version), releaseOf(version)) <= 0
  const fitting = files.filter((file) => file.name === 'roost-agent' && isFitting(file))
  const newest = fitting
    .map((file) => file.version)
    .toSorted(compareVersions)
    .at(-1)
  return fitting.filter((file) => file.version === newest)
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}
