import { join } from 'node:path'
import type { MountCache } from '../cache/files/metadata-repair.js'
import type { MountCommand } from './mounter.js'
import type { MountOwner } from '../desired/mounts.js'
import { fingerprint, keyOf } from '../desired/mount-spec.js'
import type { MountSpec } from '../desired/mount-spec.js'
import { cacheSizeArguments, drainArguments, mountArguments } from './rclone-arguments.js'
import type { MountFiles } from './rclone-arguments.js'
import { caFileOf } from '../rclone/login-files.js'
import type { RemoteControl } from '../rclone/remote-control.js'
import { sharePath } from '../desired/share-path.js'
import type { StartedWith } from './started-with.js'

export interface MountCommandsOptions {
  readonly control: RemoteControl
  /** Contains the mount points, named by the shares' ids. */
  readonly directory: string
  /** Contains what is not in Swift yet, a folder for each share. */
  readonly cacheDirectory: string
  /** Contains the mount points of mounts that only upload. */
  readonly drainDirectory: string
  readonly configFile: string
  readonly owner: () => MountOwner
}

/** Returns the commands of rclone for a share: to serve its clients, and to upload what an ended mount left. */
export function mountCommands(options: MountCommandsOptions) {
  const { control, directory, cacheDirectory, drainDirectory, configFile, owner } = options
  const cacheOf = ({ share, remote, container, retain }: MountSpec): MountCache => ({
    folder: join(cacheDirectory, String(share)),
    remote,
    container,
    retain,
  })
  const filesOf = (spec: MountSpec): MountFiles => ({
    config: configFile,
    ca: caFileOf(configFile, spec.remote),
    cache: cacheOf(spec).folder,
    htpasswd: control.htpasswd,
  })
  return {
    serving: (spec: MountSpec, cacheMegabytes: number): MountCommand => {
      const path = sharePath(directory, { id: spec.share })
      const argv = ['rclone', ...mountArguments(spec, path, owner(), filesOf(spec))]
      return {
        name: nameOf(spec.share),
        path,
        argv: [...argv, ...cacheSizeArguments(cacheMegabytes)],
        startedWith: { ...startedWith(spec, argv), cacheMegabytes },
        cache: cacheOf(spec),
        forClients: true,
      }
    },
    draining: (spec: MountSpec): MountCommand => {
      const path = join(drainDirectory, keyOf(spec))
      const argv = ['rclone', ...drainArguments(spec, path, filesOf(spec))]
      return {
        name: `drain-${keyOf(spec)}`,
        path,
        argv,
        startedWith: startedWith(spec, argv),
        cache: cacheOf(spec),
        forClients: false,
      }
    },
  }
}

export function nameOf(share: number): string {
  return `share-${share}`
}

function startedWith(spec: MountSpec, argv: readonly string[]): StartedWith {
  return { spec: fingerprint(spec), arguments: argv }
}
