import { kernelOf } from './machine.js'
import type { Machine } from './machine.js'

type MountKind = 'local' | 'network' | 'fuse' | 'pseudo'

/** One line of `/proc/self/mountinfo`. */
export interface Mount {
  readonly id: number
  readonly parent: number
  /** `major:minor`; the same for all mounts of one filesystem. */
  readonly device: string
  /** The folder of the filesystem that is mounted: not `/` for bind mounts and subvolumes. */
  readonly root: string
  readonly mountPoint: string
  readonly fsType: string
  readonly source: string
  readonly readOnly: boolean
  readonly kind: MountKind
  /** Set for a device that is a folder of the mount, at the path `mountPoint`. */
  readonly isFolder?: true
}

/** A filesystem on a local block device or pool, however often it is mounted. */
export interface LocalFilesystem {
  readonly device: string
  readonly source: string
  readonly fsType: string
  readonly readOnly: boolean
  /** Where it can be seen, the best first: the whole filesystem before a part of it, then the shortest path. */
  readonly mounts: readonly [Mount, ...Mount[]]
}

// Filesystems that keep data on disks of this machine. Everything not named in one of the lists is taken for pseudo.
const local = new Set(
  'bcachefs btrfs exfat ext2 ext3 ext4 f2fs hfsplus jfs msdos nilfs2 ntfs3 reiserfs ufs vfat xfs zfs'.split(' '),
)
// Filesystems whose answer may hang on another machine, shared-disk filesystems included.
const network = new Set(
  'afs beegfs ceph cifs coda gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 orangefs pvfs2 smb3 smbfs 9p virtiofs'.split(
    ' ',
  ),
)

/**
 * Reads the machine's mounts, by its own paths. Of a root that is a folder of this machine, that is what is mounted below it
 * here; a `/proc` that was bound into the root shows our view too, with the root before each path.
 */
export function readMounts(machine: Machine): readonly Mount[] {
  const kernel = kernelOf(machine)
  const mounts = parseMountinfo(kernel.read('/proc/self/mountinfo') ?? kernel.read('/proc/1/mountinfo') ?? '')
  if (machine.root === '/') return mounts
  const below = mountsBelow(machine.root, mounts)
  return below.length > 0 || kernel !== machine ? below : mounts
}

function mountsBelow(root: string, mounts: readonly Mount[]): readonly Mount[] {
  return mounts
    .filter((mount) => isAtOrAbove(root, mount.mountPoint))
    .map((mount) => ({ ...mount, mountPoint: mount.mountPoint.slice(root.length) || '/' }))
}

/** Returns the visible mount of a path, where something is mounted exactly there. */
export function mountAt(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts.findLast((mount) => mount.mountPoint === path && !isHidden(mount, mounts))
}

/** Returns the mount of a device as it is now: at its path, or for a folder the mount that contains it. */
export function mountNow({ mountPoint, isFolder }: Mount, mounts: readonly Mount[]): Mount | undefined {
  return mountAt(mountPoint, mounts) ?? (isFolder === true ? folderAt(mountPoint, mounts) : undefined)
}

/** Returns a folder as a mount of its own: the visible local mount that contains it, with the folder's path. */
export function folderAt(path: string, mounts: readonly Mount[]): Mount | undefined {
  const above = mounts.filter((mount) => isAtOrAbove(mount.mountPoint, path) && !isHidden(mount, mounts))
  const nearest = above.toSorted((a, b) => b.mountPoint.length - a.mountPoint.length)[0]
  return nearest === undefined ? undefined : { ...nearest, mountPoint: path, isFolder: true }
}

// The mounts are read far more often than they change.
let parsed: { readonly text: string; readonly mounts: readonly Mount[] } = { text: '', mounts: [] }

/** Lines that are none of mountinfo's are left out. The same text gives the same array. */
export function parseMountinfo(text: string): readonly Mount[] {
  if (text !== parsed.text) parsed = { text, mounts: text.split('\n').flatMap((line) => parseMount(line) ?? []) }
  return parsed.mounts
}

// `id parent major:minor root mountpoint options [optional…] - type source superoptions`, see proc_pid_mountinfo(5).
const mountinfoLine =
  /^(?<id>\d+) (?<parent>\d+) (?<device>\d+:\d+) (?<root>\S+) (?<mountPoint>\S+) (?<options>\S+) (?:\S+ )*?- (?<fsType>\S+) (?<source>\S*) (?<superOptions>\S+)$/

function parseMount(line: string): Mount | undefined {
  const fields = mountinfoLine.exec(line)?.groups as Record<MountField, string> | undefined
  if (!fields) return undefined
  return {
    id: Number(fields.id),
    parent: Number(fields.parent),
    device: fields.device,
    root: unescape(fields.root),
    mountPoint: unescape(fields.mountPoint),
    fsType: fields.fsType,
    source: unescape(fields.source),
    readOnly: isReadOnly(fields.options) || isReadOnly(fields.superOptions),
    kind: kindOf(fields.fsType),
  }
}

type MountField = 'id' | 'parent' | 'device' | 'root' | 'mountPoint' | 'options' | 'fsType' | 'source' | 'superOptions'

function isReadOnly(options: string): boolean {
  return options.split(',').includes('ro')
}

function kindOf(fsType: string): MountKind {
  if (local.has(fsType)) return 'local'
  if (network.has(fsType)) return 'network'
  // `fuseblk` too: its values come from a process that may hang.
  return fsType.startsWith('fuse') && fsType !== 'fusectl' ? 'fuse' : 'pseudo'
}

/** The kernel writes blank, tab, newline, `\` and `#` as three octal digits, a byte each. */
export function unescape(field: string): string {
  if (!field.includes('\\')) return field
  return field.replaceAll(/\\([0-3][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** Returns the local filesystems that can be reached, in the order of their first mount. */
export function localFilesystems(mounts: readonly Mount[]): readonly LocalFilesystem[] {
  const byDevice = new Map<string, Mount[]>()
  for (const mount of mounts) {
    if (mount.kind !== 'local' || isHidden(mount, mounts)) continue
    const known = byDevice.get(mount.device)
    if (known) known.push(mount)
    else byDevice.set(mount.device, [mount])
  }
  return Array.from(byDevice.values(), (found) => {
    const sorted = found.toSorted(bestFirst) as [Mount, ...Mount[]]
    const { device, source, fsType } = sorted[0]
    return { device, source, fsType, readOnly: sorted.every((mount) => mount.readOnly), mounts: sorted }
  })
}

function bestFirst(a: Mount, b: Mount): number {
  const byRoot = Number(b.root === '/') - Number(a.root === '/')
  return byRoot || a.mountPoint.length - b.mountPoint.length || (a.mountPoint < b.mountPoint ? -1 : 1)
}

/** Says whether something was mounted over the mount, or over a folder above it: its path then leads elsewhere. */
function isHidden(mount: Mount, mounts: readonly Mount[]): boolean {
  const chain = new Set<number>()
  for (let at: Mount | undefined = mount; at && !chain.has(at.id);) {
    chain.add(at.id)
    const { parent }: Mount = at
    at = mounts.find((other) => other.id === parent)
  }
  return mounts.some(
    (other) => !chain.has(other.id) && chain.has(other.parent) && isAtOrAbove(other.mountPoint, mount.mountPoint),
  )
}

function isAtOrAbove(folder: string, path: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}
