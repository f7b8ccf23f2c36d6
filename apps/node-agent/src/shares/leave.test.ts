import { describe, expect, it } from 'vitest'
import { openMachine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import { leave, leavingOf } from './leave.js'
import { locationsOf } from './share-locations.js'
import { setupsWith } from './index.js'
import { isPrepared, preparationsFor, prepare } from './prepare.js'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { openServers } from './share-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'

const smbConf = '/etc/samba/smb.conf'
const ganeshaConf = '/etc/ganesha/ganesha.conf'
const ours = [
  '/etc/samba/roost.d/shares.conf',
  '/etc/exports.d/roost.exports',
  '/etc/ganesha/roost.d/exports.conf',
] as const
const theirs = '[global]\n  workgroup = LAB\n\n[homes]\n  browseable = no'

let gateway: ScriptedGateway
const { apply } = useScriptedGateway((next) => (gateway = next))

function opened() {
  const machine = openMachine(gateway.root)
  const commands: string[] = []
  const failing = new Set<string>()
  const run: RunCommand = async (file, args) => {
    const line = [file, ...args].join(' ')
    commands.push(line)
    const said = failing.has(line) ? { exitCode: 1, stderr: 'no answer' } : { exitCode: 0, stderr: '' }
    return { ...said, outcome: 'exited', stdout: 'PONG', ended: Promise.resolve() }
  }
  const config = { nfs: 'kernel', mounts: 'operator', mountDirectory: '/srv/roost', cacheDirectory: '/c' } as const
  const settings = { ...config, account: 'nobody' }
  const servers = openServers({ machine, run, gateway: settings, locations: locationsOf(settings) })
  return { machine, run, commands, failing, leaving: () => leavingOf(machine, servers.all) }
}

async function prepared(): Promise<ReturnType<typeof opened>> {
  gateway.write('/usr/sbin/smbd', '')
  gateway.write(smbConf, theirs)
  gateway.write(ganeshaConf, '# by hand\n')
  const lab = opened()
  for (const nfs of ['kernel', 'ganesha'] as const)
    await prepare(lab.machine, lab.run, preparationsFor(lab.machine, setupsWith(lab.machine, nfs)))
  lab.commands.length = 0
  return lab
}

describe('a machine that Roost leaves', () => {
  it('has its files to the byte as they were before it was prepared, and nothing of ours', async () => {
    const { machine, run, commands, leaving } = await prepared()
    expect(isPrepared(machine)).toBe(true)
    expect(leaving()).toMatchObject({ served: [], departures: { length: 5 } })
    await leave(machine, run, leaving())
    expect([gateway.read(smbConf), gateway.read(ganeshaConf)]).toEqual([theirs, '# by hand\n'])
    const kept = [...ours, `${smbConf}.before-roost`, `${ganeshaConf}.before-roost`]
    expect(kept.map((path) => gateway.read(path))).toEqual(kept.map(() => undefined))
    // Samba takes its configuration first; no session is looked for, since there was no share.
    expect(commands.map((line) => line.replace(/\S+smb\.conf$/, 'FILE'))).toEqual([
      'testparm -s --suppress-prompt FILE',
      'exportfs -r',
      'smbcontrol smbd reload-config',
      'smbcontrol smbd ping',
    ])
    expect([isPrepared(machine), leaving().departures]).toEqual([false, []])
  })

  it('keeps what its operator changed meanwhile, and the backup', async () => {
    const { machine, run, leaving } = await prepared()
    gateway.write(smbConf, `${gateway.read(smbConf)}\n[data]\n  path = /data\n`)
    await leave(machine, run, leaving())
    expect(gateway.read(smbConf)).toBe(`${theirs}\n\n[data]\n  path = /data\n`)
    expect(gateway.read(`${smbConf}.before-roost`)).toBe(theirs)
  })

  it('loses a line that somebody wrote elsewhere, too', async () => {
    const { machine, run, leaving } = opened()
    gateway.write(smbConf, '[global]\n  include = /etc/samba/roost.d/shares.conf\n  workgroup = LAB\n')
    await leave(machine, run, leaving())
    expect(gateway.read(smbConf)).toBe('[global]\n\n  workgroup = LAB\n')
  })

  it('reports the shares that are still served, whose sessions end', async () => {
    const { machine, run, commands, leaving } = await prepared()
    await apply(1, nfsShare(1), cifsShare(2))
    const { served } = leaving()
    expect(served.map(({ server, text }) => [server.daemon, server.foldersOf(text)])).toEqual([
      ['nfs-kernel-server', ['/srv/roost/1']],
      ['smbd', ['/srv/roost/2']],
    ])
    await leave(machine, run, leaving())
    expect(commands.slice(1)).toEqual([
      'exportfs -r',
      'smbcontrol smbd reload-config',
      'smbcontrol smbd ping',
      'smbcontrol smbd close-share share2',
    ])
    expect((await gateway.applier.drift()).map(({ subject, message }) => `${subject}: ${message}`)).toEqual([
      `${ours[1]}: The file was removed.`,
      `${ours[0]}: The file was removed.`,
    ])
    expect((await apply(2, cifsShare(2))).message).toContain('roost-agent gateway prepare')
  })

  it.each(['exportfs -r', 'smbcontrol smbd ping', 'smbcontrol smbd close-share share2'])(
    'is left by a second call where the first had no answer from %s',
    async (command) => {
      const { machine, run, commands, failing, leaving } = await prepared()
      await apply(1, nfsShare(1), cifsShare(2))
      failing.add(command)
      await expect(leave(machine, run, leaving())).rejects.toThrow('no answer')
      failing.clear()
      expect([gateway.read(smbConf), gateway.read(ganeshaConf)]).toEqual([theirs, '# by hand\n'])
      commands.length = 0
      await leave(machine, run, leaving())
      expect(commands).toEqual([
        'exportfs -r',
        'smbcontrol smbd reload-config',
        'smbcontrol smbd ping',
        'smbcontrol smbd close-share share2',
      ])
      expect(leaving()).toMatchObject({ departures: [], served: [] })
    },
  )

  it('has not drifted where it served nothing', async () => {
    const { machine, run, leaving } = await prepared()
    await apply(1, nfsShare(1), cifsShare(2))
    await apply(2)
    expect(leaving().served).toEqual([])
    await leave(machine, run, leaving())
    expect(await gateway.applier.drift()).toEqual([])
  })

  it('keeps its files when Samba would not take them', async () => {
    const { machine, run, leaving } = await prepared()
    const before = [smbConf, ...ours].map((path) => gateway.read(path))
    const refuse: RunCommand = async (...args) => ({ ...(await run(...args)), exitCode: 1, stderr: 'no' })
    await expect(leave(machine, refuse, leaving())).rejects.toThrow('testparm: no')
    expect([smbConf, ...ours].map((path) => gateway.read(path))).toEqual(before)
  })
})
