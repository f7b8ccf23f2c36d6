import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localFilesystems, parseMountinfo, unescape } from './mounts.js'

const line = (text: string) => parseMountinfo(text)[0]

describe('parseMountinfo', () => {
  it('reads a line with optional fields, or without any', () => {
    expect(line('36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root ro,errors=continue')).toEqual({
      id: 36,
      parent: 35,
      device: '98:0',
      root: '/mnt1',
      mountPoint: '/mnt2',
      fsType: 'ext3',
      source: '/dev/root',
      readOnly: true,
      kind: 'local',
    })
    expect(line('27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard')).toMatchObject({
      mountPoint: '/',
      readOnly: false,
    })
  })

  it('reads an empty source', () => {
    expect(line('40 27 0:30 / /run rw - tmpfs  rw,size=4k')).toMatchObject({ source: '', kind: 'pseudo' })
  })

  it('undoes the escapes of blank, tab, newline, backslash and hash', () => {
    expect(line(String.raw`1 0 8:1 / /a\040b\011c\012d\134040\043 rw - xfs /dev/sda\0401 rw`)).toMatchObject({
      mountPoint: '/a b\tc\nd\\040#',
      source: '/dev/sda 1',
    })
  })

  it.each([
    ['ext4', 'local'],
    ['xfs', 'local'],
    ['btrfs', 'local'],
    ['zfs', 'local'],
    ['nfs4', 'network'],
    ['cifs', 'network'],
    ['ceph', 'network'],
    ['9p', 'network'],
    ['fuse.rclone', 'fuse'],
    ['fuse', 'fuse'],
    ['fuseblk', 'fuse'],
    ['fusectl', 'pseudo'],
    ['tmpfs', 'pseudo'],
    ['overlay', 'pseudo'],
    ['squashfs', 'pseudo'],
    ['autofs', 'pseudo'],
  ])('takes %s for %s', (fsType, kind) => {
    expect(line(`1 0 0:5 / /x rw - ${fsType} source rw`)?.kind).toBe(kind)
  })

  it('leaves out what is no line of mountinfo, and crashes on nothing', () => {
    expect(parseMountinfo('nonsense\n\n1 2 3\n27 1 254:0 / / rw - ext4')).toEqual([])
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(parseMountinfo(text))))
    const field = fc.constantFrom('1', '0', '8:1', '/', '-', 'rw', 'ext4', '\\040', '\\9', '')
    fc.assert(fc.property(fc.array(field), (fields) => parseMountinfo(fields.join(' ')).length <= 1))
  })

  it('undoes what the kernel does to any path', () => {
    fc.assert(
      fc.property(fc.string(), (path) => {
        expect(unescape(escape(path))).toBe(path)
      }),
    )
  })
})

const root = '1 0 254:0 / / rw - ext4 /dev/vda rw'

/** As the kernel's mangle() does. */
function escape(text: string): string {
  return text.replaceAll(/[ \t\n\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

describe('localFilesystems', () => {
  it('counts a filesystem once, however often it is mounted', () => {
    const mounts = parseMountinfo(
      [
        root,
        '2 1 8:1 /exports /srv/a rw - xfs /dev/sda1 rw',
        '3 1 8:1 / /srv/node/d1 rw - xfs /dev/sda1 rw',
        '4 1 8:1 / /mnt rw - xfs /dev/sda1 rw',
        '5 1 0:40 / /proc rw - proc proc rw',
        '6 1 0:41 / /nfs rw - nfs4 server:/x rw',
      ].join('\n'),
    )
    const found = localFilesystems(mounts)
    expect(found.map(({ device }) => device)).toEqual(['254:0', '8:1'])
    expect(found[1]?.mounts.map(({ mountPoint }) => mountPoint)).toEqual(['/mnt', '/srv/node/d1', '/srv/a'])
  })

  it('is read-only only when every mount is', () => {
    const [both] = localFilesystems(
      parseMountinfo('2 1 8:1 / /a ro - xfs /dev/sda1 rw\n3 1 8:1 / /b rw - xfs /dev/sda1 rw'),
    )
    expect(both?.readOnly).toBe(false)
    expect(localFilesystems(parseMountinfo('2 1 8:1 / /a rw - xfs /dev/sda1 ro'))[0]?.readOnly).toBe(true)
  })

  it('leaves out what was mounted over, since its path leads elsewhere', () => {
    const covered = parseMountinfo(
      [root, '2 1 8:1 / /mnt rw - xfs /dev/sda1 rw', '3 2 8:2 / /mnt rw - xfs /dev/sdb1 rw'].join('\n'),
    )
    expect(localFilesystems(covered).map(({ source }) => source)).toEqual(['/dev/vda', '/dev/sdb1'])
    const above = parseMountinfo(
      [
        root,
        '2 1 8:1 / /srv/node/d1 rw - xfs /dev/sda1 rw',
        '3 1 0:50 / /srv rw - tmpfs tmpfs rw',
        '4 3 8:2 / /srv/node/d2 rw - xfs /dev/sdb1 rw',
      ].join('\n'),
    )
    expect(localFilesystems(above).map(({ source }) => source)).toEqual(['/dev/vda', '/dev/sdb1'])
  })

  it('keeps what a system that was switched to from its first file system mounts', () => {
    const mounts = parseMountinfo('1 1 0:2 / / rw - rootfs rootfs rw\n20 1 8:1 / / rw - ext4 /dev/sda1 rw')
    expect(localFilesystems(mounts).map(({ source }) => source)).toEqual(['/dev/sda1'])
  })
})
