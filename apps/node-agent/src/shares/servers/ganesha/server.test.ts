import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DesiredShare } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../../machine/machine.js'
import type { RunCommand } from '../../../machine/run-command.js'
import { createGaneshaServer } from './server.js'
import { nfsShare } from '@roost/testing/shares'
import { bodiesOf } from '../../testing/rendered-shares.js'
import type { ShareServer } from '../share-server.js'

const include = '%include "/etc/ganesha/roost.d/exports.conf"\n'
const log = '/var/log/ganesha/ganesha.log'
const reread = 'reread_exports :CONFIG :EVENT :Reread exports complete\n'

let root: string
let server: ShareServer
let commands: string[]
/** Its log after a signal, its exports and its clients. */
let says: string
let exported: [number, string][]
let clients: string[]
let isMute: boolean

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-ganesha-'))
  commands = []
  says = reread
  exported = []
  clients = []
  isMute = false
  write('/proc/77/comm', 'ganesha.nfsd\n')
  write('/etc/ganesha/ganesha.conf', include)
  write(log, 'earlier :CRIT :it was wrong once\n')
  server = createGaneshaServer({ machine: openMachine(root), run, mountDirectory: '/srv/roost' })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const run: RunCommand = async (file, args) => {
  const line = [file, ...args].join(' ')
  commands.push(line)
  if (file === 'kill') appendFileSync(join(root, log), says)
  if (isMute) return { outcome: 'exited', exitCode: 1, stdout: '', stderr: 'no bus', ended: Promise.resolve() }
  const stdout = line.includes('ShowExports') ? shownExports() : line.includes('ShowClients') ? shownClients() : ''
  return { outcome: 'exited', exitCode: 0, stdout, stderr: '', ended: Promise.resolve() }
}

const shownExports = () =>
  [...exported, [0, '/'] as const]
    .map(([id, path]) => `      struct {\n         uint16 ${id}\n         string "${path}"\n      }\n`)
    .join('')
const shownClients = () =>
  clients.map((address) => `      struct {\n         string "::ffff:${address}"\n      }\n`).join('')
const textOf = (...shares: readonly DesiredShare[]) =>
  bodiesOf(shares, 'ganesha')['/etc/ganesha/roost.d/exports.conf'] ?? ''

describe('nfs-ganesha', () => {
  it('is reloaded by a signal, and its log from then on decides', async () => {
    await server.reload()
    expect(commands).toEqual(['cat /proc/77/cmdline', 'kill -HUP 77'])
  })

  it.each([
    [
      'a file that it cannot read',
      'ganesha_yyerror :CONFIG :CRIT :Config file (x:12) error: syntax error\n:CRIT :Error while parsing new configuration file x\n',
      /Config file \(x:12\) error: syntax error/,
    ],
    [
      'a folder that it cannot export',
      `fsal :CONFIG :CRIT :Could not create export for (/a) to (/srv/a)\n${reread}`,
      /Could not create export for/,
    ],
    [
      'a client that it does not find',
      `${reread}config_errs :CONFIG :WARN :Client (nohost) not found because …\n`,
      /Client \(nohost\) not found/,
    ],
  ])('refuses %s in its log, and the reload fails with that', async (_what, lines, reason) => {
    says = lines
    await expect(server.reload()).rejects.toThrow(reason)
  })

  it('has to read our file, by a line that does not read what is only staged', async () => {
    for (const conf of ['', '%dir /etc/ganesha/roost.d\n', `# ${include}`]) {
      write('/etc/ganesha/ganesha.conf', conf)
      await expect(server.requireNoConflict(textOf(nfsShare(1)))).rejects.toThrow(
        /has no line %include .* gateway prepare/,
      )
    }
  })

  it.each(['Export_Id = 7;', 'Pseudo = "/share7";', 'Tag = share7;'])('may not have by hand: %s', async (line) => {
    write('/etc/ganesha/ganesha.conf', `EXPORT { Path = "/x"; ${line} } # Export_Id = 8;\n${include}`)
    await expect(server.requireNoConflict(textOf(nfsShare(7)))).rejects.toThrow(/has a manually written export with/)
    await expect(server.requireNoConflict(textOf(nfsShare(8)))).resolves.toBeUndefined()
  })

  it('has to answer by D-Bus before anything is changed', async () => {
    isMute = true
    await expect(server.requireNoConflict(textOf(nfsShare(1)))).rejects.toThrow(
      /does not answer on D-Bus, .* Start D-Bus/,
    )
  })

  it('is asked what it exports', async () => {
    exported = [
      [1, '/srv/roost/1'],
      [9, '/srv/roost/9'],
      [70, '/data'],
    ]
    expect(await server.faults(textOf(nfsShare(1), nfsShare(2)))).toEqual([
      'nfs-ganesha exports /srv/roost/9 as 9, but should not.',
      "nfs-ganesha does not export the share 'share2' (/srv/roost/2).",
    ])
  })

  it('names every client that was let in and is not any more', async () => {
    clients = ['10.1.0.1', '10.2.0.1', '10.1.0.1']
    const options = { nameOf: (path: string) => path, gone: new Set<string>() }
    const before = textOf(nfsShare(1, { clients_allowed_list: '10.0.0.0/8' }), nfsShare(2))
    const after = textOf(nfsShare(1, { clients_allowed_list: '10.1.0.0/16' }), nfsShare(2))
    const lost = await server.sessionsLost(before, after, options)
    expect(lost.map(({ share, client }) => `${share} ${client}`)).toEqual(['share1 10.2.0.1'])
    expect(await server.sessionsLost(after, before, options)).toEqual([])
    const gone = await server.sessionsLost(after, after, { ...options, gone: new Set(['/srv/roost/2']) })
    expect(gone.map(({ share, client }) => `${share} ${client}`)).toEqual(['share2 10.1.0.1', 'share2 10.2.0.1'])
  })

  it('lets go of single exports, and takes back those that are missing', async () => {
    const text = textOf(nfsShare(1), nfsShare(2))
    await server.release(text, new Set(['/srv/roost/2']))
    expect(commands.at(-1)).toMatch(/RemoveExport uint16:2$/)
    exported = [[1, '/srv/roost/1']]
    await server.restore(text, new Set(['/srv/roost/1', '/srv/roost/2']))
    expect(commands.filter((line) => line.includes('AddExport'))).toEqual([
      expect.stringMatching(/EXPORT\(Export_Id=2\)$/),
    ])
  })

  it('has its exports mapped back to fields, where fields make all of them', () => {
    const before = textOf(nfsShare(1, { clients_allowed_list: '10.0.0.0/8' }), nfsShare(2))
    const now = before.replace('10.0.0.0/8', '10.0.0.0/16, @trusted').replaceAll('Squash = no_root', 'Squash = root')
    expect(server.adopt(now, before)).toEqual([
      { id: 1, fields: { root_squash: true, clients_allowed_list: '10.0.0.0/16,@trusted' } },
      { id: 2, fields: { root_squash: true } },
    ])
    expect(server.adopt(before.replace('Name = VFS', 'Name = MEM'), before)).toBeUndefined()
    expect(server.adopt(before.replace('Export_Id = 1', 'Export_Id = 3'), before)).toBeUndefined()
    expect(server.adopt(before.replace('Pseudo = "/share1"', 'Pseudo = "/other"'), before)).toBeUndefined()
  })

  it('has a note on the settings that its cache lacks', () => {
    const complete = 'LRU_Run_Interval = 1; FD_LWMark_Percent = 0; FD_HWMark_Percent = 1;'
    const missing = `lack Dir_Chunk = 0; ${complete.slice(0, -1)}. Without`
    expect(server.notes(textOf(nfsShare(1)))).toEqual([expect.stringContaining(missing)])
    expect(server.notes('')).toEqual([])
    write('/etc/ganesha/ganesha.conf', `${include}MDCACHE { ${complete} }\n`)
    expect(server.notes(textOf(nfsShare(1)))).toEqual([expect.stringContaining('lack Dir_Chunk = 0. Without')])
    write('/etc/ganesha/ganesha.conf', `${include}MDCACHE { Dir_Chunk = 0; ${complete} }\n`)
    expect(server.notes(textOf(nfsShare(1)))).toEqual([])
  })
})
