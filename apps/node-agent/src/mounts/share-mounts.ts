import { join } from 'node:path'
import type { Mounter, WantedMount } from './mounter.js'
import type { MountOwner } from './mounts.js'
import { fingerprint, hasFingerprint, keyOf } from './mount-spec.js'
import type { MountSpec } from './mount-spec.js'
import { drainArguments, mountArguments } from './rclone-arguments.js'
import type { MountFiles } from './rclone-arguments.js'
import type { CacheStats, RemoteControl } from './remote-control.js'
import { sharePath } from './share-path.js'
import { isSameStart } from './started-with.js'
import type { StartedWith } from './started-with.js'

export interface ShareMountsOptions {
  readonly mounter: Mounter
  readonly control: RemoteControl
  /** Holds the mount points, named by the shares' ids. */
  readonly directory: string
  /** Holds what is not in Swift yet, a folder for each share. */
  readonly cacheDirectory: string
  /** Holds the mount points of what is only uploaded. */
  readonly drainDirectory: string
  readonly configFile: string
  readonly owner: () => MountOwner
}

/** The mounts of shares: for clients, and afterwards to upload what clients left. */
export interface ShareMounts {
  pathOf(share: number): string
  /** Also keeps its log short. */
  isUp(spec: MountSpec): Promise<boolean>
  /** It is up, and would be started with other arguments today: an earlier version of the agent started it. */
  isOutdated(spec: MountSpec): Promise<boolean>
  up(spec: MountSpec): Promise<void>
  /** What was not uploaded stays in the cache. */
  down(share: number): Promise<void>
  /** Uploads what is in the cache. Whether everything is in Swift, and the uploading has ended. */
  drain(spec: MountSpec): Promise<boolean>
  endDrain(spec: MountSpec): Promise<void>
  /** Undefined when no mount of the share answers. */
  cacheStats(spec: MountSpec): Promise<CacheStats | undefined>
}

export function createShareMounts(options: ShareMountsOptions): ShareMounts {
  const { mounter, control, directory, cacheDirectory, drainDirectory, configFile, owner } = options
  const pathOf = (share: number) => sharePath(directory, { id: share })
  const filesOf = ({ share }: MountSpec): MountFiles => ({
    config: configFile,
    cache: join(cacheDirectory, String(share)),
    htpasswd: control.htpasswd,
  })
  const mountOf = (spec: MountSpec): WantedMount => {
    const path = pathOf(spec.share)
    const argv = ['rclone', ...mountArguments(spec, path, owner(), filesOf(spec))]
    return { name: nameOf(spec.share), path, argv, startedWith: startedWith(spec, argv), forClients: true }
  }
  const drainOf = (spec: MountSpec): WantedMount => {
    const path = join(drainDirectory, keyOf(spec))
    const argv = ['rclone', ...drainArguments(spec, path, filesOf(spec))]
    return { name: `drain-${keyOf(spec)}`, path, argv, startedWith: startedWith(spec, argv), forClients: false }
  }
  const endDrain = async (spec: MountSpec) => {
    const { name, path } = drainOf(spec)
    await mounter.down(name, path)
  }
  return {
    pathOf,
    async isUp(spec) {
      await mounter.trimLog(nameOf(spec.share))
      const present = await mounter.runsWith(mountOf(spec))
      return present !== undefined && hasFingerprint(spec, present.spec)
    },
    async isOutdated(spec) {
      const mount = mountOf(spec)
      const present = await mounter.runsWith(mount)
      return present !== undefined && hasFingerprint(spec, present.spec) && !isSameStart(present, mount.startedWith)
    },
    up: (spec) => mounter.up(mountOf(spec)),
    down: (share) => mounter.down(nameOf(share), pathOf(share)),
    async drain(spec) {
      const wanted = drainOf(spec)
      await mounter.up(wanted)
      const port = mounter.port(wanted.name)
      // What is in Swift leaves the cache a second later.
      if (port === undefined || (await control.cachedFiles(port)) > 0) return false
      await endDrain(spec)
      return true
    },
    endDrain,
    async cacheStats(spec) {
      const port = mounter.port(nameOf(spec.share)) ?? mounter.port(drainOf(spec).name)
      return port === undefined ? undefined : control.stats(port).catch(() => undefined)
    },
  }
}

function nameOf(share: number): string {
  return `share-${share}`
}

function startedWith(spec: MountSpec, argv: readonly string[]): StartedWith {
  return { spec: fingerprint(spec), arguments: argv }
}
