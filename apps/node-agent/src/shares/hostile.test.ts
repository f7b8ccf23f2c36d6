import type { DesiredShare } from '@roost/api-types/agent'
import { describe, expect, it } from 'vitest'
import { exportsFormat } from './servers/kernel-nfs/format.js'
import { ganeshaFormat } from './servers/ganesha/format.js'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import { bodiesOf } from './testing/rendered-shares.js'
import { ShareError } from './servers/validate-share.js'
import { sambaFormat } from './servers/samba/format.js'
import { exportsFile, sambaFile } from './testing/own-files.js'

const ganeshaFile = '/etc/ganesha/roost.d/exports.conf'

/** The field for which the shares are refused, whichever server is to serve them; null when they are rendered. */
function refusedField(...shares: readonly DesiredShare[]): string | null {
  const fields = (['kernel', 'ganesha'] as const).map((nfs) => {
    try {
      bodiesOf(shares, nfs)
      return null
    } catch (error) {
      if (error instanceof ShareError) return error.field
      throw error
    }
  })
  expect(new Set(fields).size).toBe(1)
  return fields[0] ?? null
}

const breakers = {
  'a new line': 'x\npath = /etc',
  'a carriage return': 'x\rpath = /etc',
  'a line separator': 'x\u2028path = /etc',
  'a backslash at the end': 'x\\',
  'an opening bracket': 'x[y',
  'a closing bracket': 'br]ack',
  'a substitution of Samba': '%U',
  'a variable': '%$(HOME)',
  'a semicolon': 'a;b',
  'a hash': 'a#b',
  'an include': 'include = /etc/passwd',
  'a quotation mark': 'a"b',
  NUL: 'a\0b',
  'a full-width dot': 'a．．b',
}

describe('the name of a share', () => {
  it.each(Object.entries(breakers))('is refused with %s', (_what, name) => {
    expect(refusedField(cifsShare(1, { name }))).toBe('name')
    expect(refusedField(nfsShare(1, { name }))).toBe('name')
  })

  it.each([
    'Global',
    'homes',
    'PRINTERS',
    'print$',
    'IPC$',
    '',
    ' x',
    'x ',
    '.',
    '..',
    '../etc',
    '/etc',
    'x'.repeat(65),
  ])('is refused when it is %j', (name) => expect(refusedField(cifsShare(1, { name }))).toBe('name'))

  it('is refused where Samba would merge it with one of another case', () => {
    expect(refusedField(cifsShare(1, { name: 'photos' }), cifsShare(2, { name: 'PHOTOS' }))).toBe('name')
    expect(bodiesOf([nfsShare(1, { name: 'photos' }), nfsShare(2, { name: 'PHOTOS' })])).toHaveProperty([exportsFile])
  })
})

describe('the accounts of a share', () => {
  it.each(Object.entries(breakers).filter(([what]) => what !== 'an include'))('are refused with %s', (_what, text) => {
    expect(refusedField(cifsShare(1, { cifs_valid_users: text }))).toBe('cifs_valid_users')
    expect(refusedField(cifsShare(1, { cifs_valid_groups: text }))).toBe('cifs_valid_groups')
  })

  it.each(['@group', '+group', '&group', '"a b"', 'x'.repeat(65)])('are refused when one is %j', (text) => {
    expect(refusedField(cifsShare(1, { cifs_valid_users: text }))).toBe('cifs_valid_users')
  })
})

describe('the masks of a share', () => {
  it.each(['9999', '0o664', '0999', 'abc', '77', '00775', '0664\n', ''])('are refused when one is %j', (mask) => {
    expect(refusedField(cifsShare(1, { cifs_create_mask: mask }))).toBe('cifs_create_mask')
    expect(refusedField(cifsShare(1, { cifs_directory_mask: mask }))).toBe('cifs_directory_mask')
  })
})

describe('the clients of a share', () => {
  const wrong = {
    'options after a blank': '10.0.0.1 (rw)',
    'options of its own': '10.0.0.1(rw,no_root_squash)',
    'an escaped blank': 'host\\040other',
    'a netgroup with a blank': '@my group(rw)',
    'everybody as a star': '*',
    'a star in an address': '10.0.0.*',
    'an IPv6 network': 'fd00::/64',
    'options for all': '-rw',
    'a prefix that is too long': '10.0.0.1/33',
    'an address that is none': '300.1.1.1',
    'a word of Samba': 'ALL EXCEPT 10.0.0.1',
    'a block of ganesha': 'a; } EXPORT { Path = /etc',
  }
  it.each([...Object.entries(wrong), ...Object.entries(breakers)])('are refused with %s', (_what, list) => {
    expect(refusedField(nfsShare(1, { clients_allowed_list: list }))).toBe('clients_allowed_list')
    expect(refusedField(cifsShare(1, { clients_allowed_list: list }))).toBe('clients_allowed_list')
  })

  it.each(['yes', 'NO', 'true', 'off', '3com.example', '@1group'])(
    'are refused for ganesha alone when one is %j, which it would not take for a name',
    (list) => {
      const shares = [nfsShare(1, { clients_allowed_list: list })]
      expect(() => bodiesOf(shares, 'ganesha')).toThrow(
        /^Share 1: clients_allowed_list contains .* nfs-ganesha does not accept/,
      )
      expect(bodiesOf(shares)[exportsFile]).toContain(` ${list}(`)
    },
  )
})

describe('the path of a share', () => {
  const containers = ['../../etc', '%2e%2e', 'a\0b', 'x'.repeat(300), '/etc/shadow', '．．／etc', '[global]\npath = /']
  it.each(containers)('comes from the id, whatever the container: %j', (objectstore_container) => {
    const files = (container: string) => {
      const shares = [
        nfsShare(7, { objectstore_container: container }),
        cifsShare(8, { objectstore_container: container }),
      ]
      return { ...bodiesOf(shares), ...bodiesOf(shares, 'ganesha') }
    }
    expect(files(objectstore_container)).toEqual(files('photos'))
    expect(files(objectstore_container)[exportsFile]).toMatch(/^\/srv\/roost\/7 /)
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 60])('is not made for the id %d', (id) =>
    expect(refusedField(nfsShare(id))).toBe('id'),
  )

  it.each([0, 65_536, 1.5])('has no identity %d', (number) =>
    expect(refusedField(nfsShare(1, { export_number: number }))).toBe('export_number'),
  )

  it('has an identity of its own', () => {
    expect(refusedField(nfsShare(1), cifsShare(2, { export_number: 1 }))).toBe('export_number')
    expect(refusedField(nfsShare(1), cifsShare(1, { export_number: 2 }))).toBe('id')
  })
})

describe('reading back', () => {
  it.each([
    '/a 10.0.0.1 (rw)\n',
    '/a (rw)\n',
    '/a 10.0.0.1\n',
    '/a 10.0.0.1(rw) \\\n 10.0.0.2(ro)\n',
    '/a 10.0.0.1(rw)(ro)\n',
    '"/a b" 10.0.0.1(rw)\n',
    '/a\\ 10.0.0.1(rw)\n',
    'a 10.0.0.1(rw)\n',
    '/a 10.0.0.1(rw) # for now\n',
    '/a -rw 10.0.0.1\n',
  ])('refuses exports that nfs-utils would guess at: %j', (text) => {
    expect(() => exportsFormat.parse(text)).toThrow(expect.objectContaining({ name: 'FormatError' }))
  })

  it('reads an octal sign in a path as what it stands for', () => {
    const entries = [{ path: '/a b"#\\ü😀', clients: [{ host: '*', options: ['ro'] }] }]
    expect(exportsFormat.encode(entries)).toBe('/a\\040b\\042\\043\\134\\303\\274\\360\\237\\230\\200 *(ro)\n')
    expect(exportsFormat.parse(exportsFormat.encode(entries))).toEqual(entries)
  })

  it.each([
    '[br]ack]\npath = /a\n',
    '[a]\npath = /back\\\nguest ok = yes\n',
    '[a]\npath = /a\n[A]\npath = /b\n',
    '[a]\npath = /a\nPATH = /b\n',
    '[a]\nno option\n',
    'path = /a\n',
  ])('refuses sections that Samba would cut, join, merge or skip: %j', (text) => {
    expect(() => sambaFormat.parse(text)).toThrow(expect.objectContaining({ name: 'FormatError' }))
  })

  it.each([
    'EXPORT { Path = "/a }',
    'EXPORT { Path = "/a"; Path = "/b"; }',
    'EXPORT { Export_Id = 1 }',
    'EXPORT { Clients = fd00::1; }',
    'EXPORT { Clients = 10.0.0.0/255.0.0.0; }',
    '%include "/etc/passwd"',
    'EXPORT {',
  ])('refuses blocks that ganesha would drop or read elsewhere: %j', (text) => {
    expect(() => ganeshaFormat.parse(text)).toThrow(expect.objectContaining({ name: 'FormatError' }))
  })
})

describe('five hundred shares of which one is edited', () => {
  const shares = Array.from({ length: 500 }, (_, i) => (i % 2 === 0 ? nfsShare(i + 1) : cifsShare(i + 1)))
  const linesOf = (text = '') => text.split('\n')
  const before = { ...bodiesOf(shares), ...bodiesOf(shares, 'ganesha') }

  it.each([
    [exportsFile, nfsShare(251, { root_squash: true, clients_allowed_list: '10.0.0.0/8' })],
    [ganeshaFile, nfsShare(251, { clients_allowed_list: '10.0.0.0/8' })],
    [sambaFile, cifsShare(252, { cifs_guest_ok: false, clients_allowed_list: '10.0.0.0/8' })],
  ])('change one place of %s', (path, edited) => {
    const changed = shares.map((share) => (share.id === edited.id ? edited : share))
    const after: Readonly<Record<string, string>> = { ...bodiesOf(changed), ...bodiesOf(changed, 'ganesha') }
    const old = linesOf(before[path])
    const now = linesOf(after[path])
    const first = now.findIndex((line, i) => line !== old[i])
    const last = now.findLastIndex((line, i) => line !== old[i - now.length + old.length])
    expect(first).toBeGreaterThan(100)
    expect(last - first).toBeLessThan(12)
  })
})
