import { createHash } from 'node:crypto'
import { constants, lstat, mkdir, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { errorText } from '@roost/runtime'
import type * as z from 'zod/mini'
import { writeManagedFile } from '../../machine/managed-file.js'
import { type Installation, requireSignature } from '../installation.js'
import { UpgradeReport, UpgradeRequest } from '../upgrade-files.js'
import type { UpgradePaths } from '../upgrade-files.js'

/** The agent's account may write anything into its folder: links, pipes, files without end. */
const maxRecordBytes = 1 << 16
const maxPackageBytes = 256 << 20

/** Returns the request of the agent, which is removed with it; undefined without one. Throws for one that is not valid. */
export async function acceptRequest({ folder, request }: UpgradePaths): Promise<UpgradeRequest | undefined> {
  try {
    const bytes = await readOwn(folder, request, maxRecordBytes)
    return bytes && parse(UpgradeRequest, request, bytes)
  } finally {
    // The unit is started again while there is one.
    await rm(request, { recursive: true, force: true })
  }
}

/** Returns what the agent has reported; undefined for what is no report. */
export async function readReport({ folder, report }: UpgradePaths): Promise<UpgradeReport | undefined> {
  try {
    const bytes = await readOwn(folder, report, maxRecordBytes)
    return bytes && parse(UpgradeReport, report, bytes)
  } catch {
    return undefined
  }
}

function parse<S extends z.ZodMiniType>(schema: S, path: string, bytes: Buffer): z.infer<S> {
  const parsed = schema.safeParse(JSON.parse(bytes.toString()))
  if (parsed.success) return parsed.data
  throw new Error(`${path} has another format than expected.`)
}

type PackageFile = UpgradeRequest['package']

/** Copies a package to where only root can write, once its digest and its signature are right, and returns the path. */
export async function acceptPackage(
  { folder, next }: UpgradePaths,
  { name, sha256, signature }: PackageFile,
  { releaseKey }: Pick<Installation, 'releaseKey'>,
): Promise<string> {
  const bytes = await readOwn(folder, join(folder, name), maxPackageBytes)
  if (bytes === undefined) throw new Error(`${name} is not there.`)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`${name} has another SHA-256.`)
  await requireSignature(name, bytes, signature, releaseKey)
  await mkdir(next, { recursive: true, mode: 0o755 })
  const path = join(next, name)
  await writeManagedFile(path, bytes, 0o644)
  return path
}

/** How much space an installation needs, as a multiple of its package. */
const unpackedFactor = 5

/** Throws unless the disk has enough space for an installation. */
export async function requireSpace(disk: string, packageBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(disk)
  const needed = unpackedFactor * packageBytes
  if (bavail * bsize < needed)
    throw new Error(
      `The disk of ${disk} has ${bavail * bsize} bytes free, and the upgrade needs ${needed}. Free some space.`,
    )
}

/** Reads a regular file of the agent's folder without following links; undefined without it. */
async function readOwn(folder: string, path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a directory.`)
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { size } = await file.stat()
      const isFile = (await file.stat()).isFile()
      if (!isFile || size > maxBytes) throw new Error(`${path} is not a file of at most ${maxBytes} bytes.`)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`Cannot read ${path}: ${errorText(error)}`, { cause: error })
  }
}
