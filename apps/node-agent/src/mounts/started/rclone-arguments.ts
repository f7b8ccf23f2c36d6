import type { MountOwner } from '../desired/mounts.js'
import type { MountSpec } from '../desired/mount-spec.js'

export interface MountFiles {
  readonly config: string
  /** PEM of the authorities of the login, where it has some of its own. */
  readonly ca: string
  readonly cache: string
  readonly htpasswd: string
}

/** The agent renews or drops listings each minute; while Swift is unavailable they are kept for so long. */
const dirCacheTime = '6m'

/** Returns the arguments of rclone that mount a container for its clients. */
export function mountArguments(spec: MountSpec, path: string, owner: MountOwner, files: MountFiles): readonly string[] {
  return [
    ...common(spec, path, files),
    '--allow-other',
    // rclone itself does not check permissions.
    '--default-permissions',
    '--uid',
    String(owner.uid),
    '--gid',
    String(owner.gid),
    '--umask',
    '0',
    '--file-perms',
    spec.filePerms,
    '--dir-perms',
    spec.dirPerms,
    '--dir-cache-time',
    dirCacheTime,
    '--vfs-write-back',
    `${spec.writeBackSeconds}s`,
    '--vfs-cache-poll-interval',
    '5s',
    ...(spec.retain ? retained : passing),
  ]
}

/** Returns the limit of the cache: otherwise it fills the disk, and every call hangs from then on. */
export function cacheSizeArguments(megabytes: number): readonly string[] {
  return ['--vfs-cache-max-size', `${megabytes}M`]
}

/** Returns the arguments of rclone that upload what an ended mount left. */
export function drainArguments(spec: MountSpec, path: string, files: MountFiles): readonly string[] {
  return [...common(spec, path, files), '--vfs-write-back', '0s', '--vfs-cache-poll-interval', '1s', ...passing]
}

const retained = ['--vfs-cache-mode', 'full', '--vfs-cache-max-age', '8760h']
/** Files that are in Swift leave the cache. */
const passing = ['--vfs-cache-mode', 'writes', '--vfs-cache-max-age', '1s']

function common({ remote, container, hasCa }: MountSpec, path: string, files: MountFiles): readonly string[] {
  return [
    'mount',
    `${remote}:${container}`,
    path,
    '--config',
    files.config,
    ...(hasCa ? ['--ca-cert', files.ca] : []),
    '--cache-dir',
    files.cache,
    '--log-level',
    'NOTICE',
    // A client repeats a write that found no space within milliseconds: its log needs the exact time of the failure.
    '--log-format',
    'date,time,microseconds',
    // A request that Swift does not answer fails soon: the file is queued again, and calls of clients do not hang.
    // rclone's Swift library attempts each request four times by itself.
    '--contimeout',
    '5s',
    '--timeout',
    '1m',
    '--low-level-retries',
    '1',
    // The agent asks the remote control for waiting uploads; rclone logs its port.
    '--rc',
    '--rc-addr',
    '127.0.0.1:0',
    '--rc-htpasswd',
    files.htpasswd,
  ]
}
