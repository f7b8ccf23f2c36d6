import type { Mounter } from './mounter.js'
import { hasFingerprint } from '../desired/mount-spec.js'
import type { MountSpec } from '../desired/mount-spec.js'
import type { CacheStats } from '../rclone/remote-control.js'
import { sharePath } from '../desired/share-path.js'
import { isSameStart } from './started-with.js'
import { nameOf, mountCommands } from './mount-commands.js'
import type { MountCommandsOptions } from './mount-commands.js'

export interface ShareMountsOptions extends MountCommandsOptions {
  readonly mounter: Mounter
  /** In megabytes. */
  readonly cacheSizeOf: (spec: MountSpec) => Promise<number>
}

/** Controls the mounts of shares: for clients, and afterwards to upload what they left. */
export interface ShareMounts {
  pathOf(share: number): string
  /** Returns whether the mount is up; also truncates a long log. */
  isUp(spec: MountSpec): Promise<boolean>
  /** Returns whether it runs with other arguments than today's: an earlier version of the agent started it. */
  isOutdated(spec: MountSpec): Promise<boolean>
  up(spec: MountSpec): Promise<void>
  /** Returns whether it runs with a cache of another size than it would get now. */
  hasOtherCacheSize(spec: MountSpec): Promise<boolean>
  /** Ends the mount; files that were not uploaded stay in the cache. */
  down(share: number): Promise<void>
  /** Uploads what is in the cache. Returns whether everything is in Swift and the upload has ended. */
  drain(spec: MountSpec): Promise<boolean>
  endDrain(spec: MountSpec): Promise<void>
  /** Returns whether the program of the share's mount answers. */
  isAnswering(share: number): Promise<boolean>
  /** Renews the listings of a running mount, or forgets empty ones. */
  refresh(share: number): Promise<void>
  forget(share: number): Promise<void>
  /** Ends the program of a mount that hangs. */
  kill(share: number): Promise<void>
  /** Returns the pid of the share's mount; undefined when it does not run. Rejects when it does not answer. */
  pidOf(share: number): Promise<number | undefined>
  /** Returns the statistics of the share's cache; undefined when no mount of the share answers. */
  cacheStats(spec: MountSpec): Promise<CacheStats | undefined>
}

export function createShareMounts(options: ShareMountsOptions): ShareMounts {
  const { mounter, control, directory, cacheSizeOf } = options
  const pathOf = (share: number) => sharePath(directory, { id: share })
  const { serving, draining } = mountCommands(options)
  const endDrain = async (spec: MountSpec) => {
    const { name, path } = draining(spec)
    await mounter.down(name, path)
  }
  const ask = async <T>(share: number, question: (port: number) => Promise<T>): Promise<T | undefined> => {
    const port = mounter.port(nameOf(share))
    return port === undefined ? undefined : question(port)
  }
  return {
    pathOf,
    ...checksOf(options, serving),
    up: async (spec) => mounter.up(serving(spec, await cacheSizeOf(spec))),
    down: (share) => mounter.down(nameOf(share), pathOf(share)),
    async drain(spec) {
      const command = draining(spec)
      await mounter.up(command)
      const port = mounter.port(command.name)
      // Uploaded files leave the cache a second later.
      if (port === undefined || (await control.cachedFiles(port)) > 0) return false
      await endDrain(spec)
      return true
    },
    endDrain,
    isAnswering: async (share) => (await ask(share, (port) => control.isAnswering(port))) ?? false,
    refresh: (share) => ask(share, (port) => control.refresh(port)),
    forget: (share) => ask(share, (port) => control.forget(port)),
    kill: (share) => mounter.kill(nameOf(share)),
    pidOf: (share) => ask(share, (port) => control.pid(port)),
    async cacheStats(spec) {
      const port = mounter.port(nameOf(spec.share)) ?? mounter.port(draining(spec).name)
      return port === undefined ? undefined : control.stats(port).catch(() => undefined)
    },
  }
}

/** Compares running mounts with those that would be started now. */
function checksOf(
  { mounter, directory, cacheSizeOf }: ShareMountsOptions,
  serving: ReturnType<typeof mountCommands>['serving'],
): Pick<ShareMounts, 'isUp' | 'isOutdated' | 'hasOtherCacheSize'> {
  const runsWith = ({ share }: MountSpec) =>
    mounter.runsWith({ name: nameOf(share), path: sharePath(directory, { id: share }) })
  return {
    async isUp(spec) {
      await mounter.trimLog(nameOf(spec.share))
      const present = await runsWith(spec)
      return present !== undefined && hasFingerprint(spec, present.spec)
    },
    async isOutdated(spec) {
      const present = await runsWith(spec)
      if (present === undefined || !hasFingerprint(spec, present.spec)) return false
      return !isSameStart(present, serving(spec, 0).startedWith)
    },
    async hasOtherCacheSize(spec) {
      const present = await runsWith(spec)
      return present !== undefined && present.cacheMegabytes !== (await cacheSizeOf(spec))
    },
  }
}
