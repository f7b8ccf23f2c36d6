import { createHash, randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { readManagedFile, writeManagedFile } from '../../machine/managed-file.js'

const CacheStats = z.object({
  files: z.number(),
  bytesUsed: z.number(),
  uploadsInProgress: z.number(),
  uploadsQueued: z.number(),
  erroredFiles: z.number(),
  outOfSpace: z.boolean(),
})
/** rclone's statistics of a mount's cache. They do not count dirty files that no upload is queued for. */
export type CacheStats = z.infer<typeof CacheStats>

const Pid = z.object({ pid: z.number() })
const Stats = z.object({ diskCache: CacheStats })
/** The listings of a mount; the top folder always counts. */
const Listings = z.object({ metadataCache: z.object({ dirs: z.number(), files: z.number() }) })

/** Asks mounts over loopback; a password protects the port, which every account of the machine can reach. */
export interface RemoteControl {
  /** Path of a file for rclone, with the password's digest. */
  readonly htpasswd: string
  /** Counts the files in the cache, those not in Swift yet included. Rejects when the mount does not answer. */
  cachedFiles(port: number): Promise<number>
  /** Returns whether the mount answers at once to a request that does not concern its files. */
  isAnswering(port: number): Promise<boolean>
  /** Has the mount renew its listings, or forget an empty one. Rejects when it does not answer. */
  refresh(port: number): Promise<void>
  /** Has the mount forget its listings. Rejects when it does not answer. */
  forget(port: number): Promise<void>
  /** Returns the pid of rclone. Rejects when the mount does not answer. */
  pid(port: number): Promise<number>
  /** Returns the statistics of the cache. Rejects when the mount does not answer. */
  stats(port: number): Promise<CacheStats>
}

const user = 'roost-agent'
const answerMs = 5_000
/** rclone answers `noop` in a millisecond, unless it hangs. */
const noopMs = 2_000
/** A busy Swift may need so long to list ten thousand names. */
const refreshMs = 50_000

/** Creates the password once, for all mounts of the machine. */
export async function openRemoteControl(dir: string): Promise<RemoteControl> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const keyFile = join(dir, 'rc.key')
  const password = (await readManagedFile(keyFile))?.toString() ?? randomBytes(32).toString('base64url')
  await writeManagedFile(keyFile, password)
  const htpasswd = join(dir, 'rc.htpasswd')
  const digest = createHash('sha1').update(password).digest('base64')
  await writeManagedFile(htpasswd, `${user}:{SHA}${digest}\n`)
  const auth = `${user}:${password}`
  const stats = async (port: number) => Stats.parse(await post(port, '/vfs/stats', { auth })).diskCache
  const forget = async (port: number) => void (await post(port, '/vfs/forget', { auth }))
  return {
    htpasswd,
    async cachedFiles(port) {
      const { files, uploadsInProgress, uploadsQueued } = await stats(port)
      return Math.max(files, uploadsInProgress + uploadsQueued)
    },
    async refresh(port) {
      const { metadataCache } = Listings.parse(await post(port, '/vfs/stats', { auth }))
      // A refresh loads all names of the container: not for a mount that no client uses.
      if (metadataCache.dirs <= 1 && metadataCache.files === 0) await forget(port)
      else await post(port, '/vfs/refresh?recursive=true', { auth, deadlineMs: refreshMs })
    },
    forget,
    isAnswering: (port) =>
      post(port, '/rc/noop', { auth, deadlineMs: noopMs }).then(
        () => true,
        () => false,
      ),
    pid: async (port) => Pid.parse(await post(port, '/core/pid', { auth })).pid,
    stats,
  }
}

interface PostOptions {
  readonly auth: string
  readonly deadlineMs?: number
}

function post(port: number, path: string, { auth, deadlineMs = answerMs }: PostOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, auth, method: 'POST', signal: AbortSignal.timeout(deadlineMs) }
    const sent = request(options, (answer) => {
      if (answer.statusCode === 200) json(answer).then(resolve, reject)
      else reject(new Error(`The remote control of a mount answered with ${answer.statusCode}.`))
    })
    sent.once('error', reject)
    sent.end()
  })
}
