import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DesiredShare, type ShareSetting, shareSettingRows, type ShareServerName } from '@roost/api-types/agent'
import { describe, expect, it } from 'vitest'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import { bodiesOf } from '../testing/rendered-shares.js'
import type { Adoption } from './share-server.js'
import { adoptBlocks } from './ganesha/adopt.js'
import { ganeshaExportsFile } from './ganesha/render.js'
import { adoptExports } from './kernel-nfs/adopt.js'
import { exportsFile } from './kernel-nfs/render.js'
import { adoptSections } from './samba/adopt.js'
import { sambaSharesFile } from './samba/render.js'
import { isNarrowed, spelledSettings, writeSetting } from './spelled-settings.js'

interface TestServer {
  readonly make: (settings: object) => DesiredShare
  readonly text: (share: DesiredShare) => string
  readonly adopt: (now: string, inForce: string) => Adoption
}

const servers: Readonly<Record<ShareServerName, TestServer>> = {
  samba: {
    make: (settings) => cifsShare(1, settings),
    text: (share) => bodiesOf([share])[sambaSharesFile] ?? '',
    adopt: adoptSections,
  },
  exports: {
    make: (settings) => nfsShare(1, settings),
    text: (share) => bodiesOf([share])[exportsFile] ?? '',
    adopt: adoptExports,
  },
  ganesha: {
    make: (settings) => nfsShare(1, settings),
    text: (share) => bodiesOf([share], 'ganesha')[ganeshaExportsFile] ?? '',
    adopt: adoptBlocks,
  },
}

/** A value that is not the default of the setting. */
function anotherValue({ value, default: absent }: ShareSetting) {
  if (value.kind === 'flag') return absent !== true
  if (value.kind === 'choice') return value.options.find((option) => option !== absent)
  if (value.kind === 'number') return absent === value.min ? value.max : value.min
  return { mode: '0700', clients: '10.0.0.0/8', accounts: 'alice' }[value.kind]
}

const written = shareSettingRows.flatMap(([name, row]) =>
  row.servers === 'mount alone'
    ? []
    : Object.entries(row.servers)
        .filter(([, spelling]) => spelling !== 'no setting')
        .map(([server]) => [name, server as ShareServerName, row] as const),
)

describe('every setting that a server has', () => {
  it.each(written)('%s is written by %s, and read back', (name, server, row) => {
    const { make, text, adopt } = servers[server]
    const [before, now] = [text(make({})), text(make({ [name]: anotherValue(row) }))]
    expect(now).not.toBe(before)
    expect(adopt(now, before)).toEqual([{ id: 1, fields: { [name]: anotherValue(row) } }])
    expect(adopt(before, now)).toEqual([{ id: 1, fields: { [name]: row.default } }])
  })
})

describe('a change of a setting', () => {
  const narrowing = spelledSettings('samba').filter(({ row }) => typeof row.narrows === 'object')

  it.each(narrowing.map((setting) => [setting.name, setting] as const))(
    'of %s narrows in one direction',
    (_, setting) => {
      const textOf = (value: unknown) => writeSetting(setting, servers.samba.make({ [setting.name]: value })).at(0)?.[1]
      const { narrows } = setting.row
      const from = typeof narrows === 'object' ? narrows.from : undefined
      const to = anotherValue({ ...setting.row, default: from })
      expect(isNarrowed(setting, textOf(from), textOf(to))).toBe(true)
      expect(isNarrowed(setting, textOf(to), textOf(from))).toBe(false)
      expect(isNarrowed(setting, textOf(from), textOf(from))).toBe(false)
      // by hand, so that it may have permitted as much
      expect(isNarrowed(setting, 'strange', textOf(to))).toBe(true)
    },
  )
})

describe('the options of Samba', () => {
  it.skipIf(!isInstalled('testparm'))('are those that testparm knows, with its defaults', () => {
    const known = testparmDefaults()
    for (const { spelling } of spelledSettings('samba')) {
      expect([...known.keys()]).toContain(spelling.option)
      expect([spelling.option, known.get(spelling.option)?.toLowerCase()]).toEqual([spelling.option, spelling.absent])
    }
    for (const option of ['path', 'force user', 'valid users', 'hosts allow'])
      expect([...known.keys()]).toContain(option)
  })
})

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`])
    return true
  } catch {
    return false
  }
}

/** Every option as testparm prints it for an empty configuration. */
function testparmDefaults(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'roost-options-'))
  try {
    const file = join(folder, 'smb.conf')
    writeFileSync(file, '[global]\n')
    const text = execFileSync('sh', ['-c', 'testparm -sv --suppress-prompt "$1" 2>&1', 'sh', file])
    return new Map(
      [...text.toString().matchAll(/^\t([^=]+?) = ?(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
