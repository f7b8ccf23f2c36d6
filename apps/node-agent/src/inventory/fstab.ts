import type { Machine } from '../machine/machine.js'
import { unescape } from '../machine/mounts.js'

/** Parses what should be mounted: the source by mount point, as `/etc/fstab` names it. */
export function parseFstab(text: string): ReadonlyMap<string, string> {
  const entries = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([source, mountPoint]) => source !== undefined && mountPoint?.startsWith('/') && !source.startsWith('#'))
  return new Map(entries.map(([source = '', mountPoint = '']) => [unescape(mountPoint), unescape(source)]))
}

const linkFolders: Readonly<Record<string, string>> = {
  UUID: 'by-uuid',
  LABEL: 'by-label',
  PARTUUID: 'by-partuuid',
  PARTLABEL: 'by-partlabel',
  ID: 'by-id',
}

/**
 * Says whether the disk that fstab names is there: `unknown` where fstab names none, or where no udev keeps the links by which it
 * could be found.
 */
export function sourcePresence(machine: Machine, source: string | undefined): 'present' | 'absent' | 'unknown' {
  if (source === undefined) return 'unknown'
  if (source.startsWith('/dev/')) return machine.stamp(source) === undefined ? 'absent' : 'present'
  const [tag = '', quoted = ''] = source.split('=', 2)
  const folder = linkFolders[tag]
  if (folder === undefined || machine.list('/dev/disk').length === 0) return 'unknown'
  const name = quoted.replaceAll('"', '')
  return machine.link(`/dev/disk/${folder}/${name}`) === undefined ? 'absent' : 'present'
}
