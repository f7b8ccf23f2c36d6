import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import { setupsWith } from './index.js'
import { isPrepared, preparationsFor, prepare } from './prepare.js'
import { type ScriptedGateway, scriptedGateway } from './testing/scripted-servers.js'

let gateway: ScriptedGateway
beforeEach(() => {
  gateway = scriptedGateway()
  gateway.write('/usr/sbin/smbd', '')
})
afterEach(() => gateway.remove())

const smbConf = '/etc/samba/smb.conf'
const ganeshaConf = '/etc/ganesha/ganesha.conf'
const accept: RunCommand = async () => ({
  outcome: 'exited',
  exitCode: 0,
  stdout: '',
  stderr: '',
  ended: Promise.resolve(),
})
const refuse: RunCommand = async () => ({ ...(await accept('', [], { deadlineMs: 1 })), exitCode: 1, stderr: 'no' })

async function doAll(nfs: 'kernel' | 'ganesha' | null, run = accept) {
  const machine = openMachine(gateway.root)
  await prepare(machine, run, preparationsFor(machine, setupsWith(machine, nfs)))
  return preparationsFor(machine, setupsWith(machine, nfs))
}

describe('a machine that is to serve shares', () => {
  it('gets one block at the end of smb.conf and of ganesha.conf, with a backup of each, and once', async () => {
    gateway.write(smbConf, '[global]\n  workgroup = LAB\n\n[homes]\n  browseable = no')
    gateway.write(ganeshaConf, '# by hand\n')
    expect(await doAll('ganesha')).toEqual([])
    expect(gateway.read(smbConf)).toMatch(
      /^\[global\]\n {2}workgroup = LAB\n\n\[homes\]\n {2}browseable = no\n\n# Shares/,
    )
    expect(gateway.read(smbConf)).toMatch(/\n\[global\]\n {4}include = \/etc\/samba\/roost\.d\/shares\.conf\n$/)
    expect(gateway.read(ganeshaConf)).toMatch(
      /\n%include "\/etc\/ganesha\/roost\.d\/exports\.conf"\n\n#.*\nMDCACHE \{ Dir_Chunk = 0; .* \}\n$/,
    )
    expect(gateway.read(`${ganeshaConf}.before-roost`)).toBe('# by hand\n')
    expect(gateway.read(`${smbConf}.before-roost`)).toMatch(/browseable = no$/)
    expect(gateway.read('/etc/ganesha/roost.d/exports.conf')).toMatch(/^# /)
  })

  it('gets the settings of the cache into the block that is there, whatever else stands in it', async () => {
    const theirs =
      '# MDCACHE { Dir_Chunk = 9; }\nCacheInode {\n  Entries_HWMark = 5; # Dir_Chunk = 0\n  dir_chunk = 128;\n}\nLOG { }\n'
    gateway.write(ganeshaConf, theirs)
    const [, change] = preparationsFor(
      openMachine(gateway.root),
      setupsWith(openMachine(gateway.root), 'ganesha'),
    ).filter(({ path }) => /ganesha/.test(path))
    expect(change?.sentence).toContain('Sets Dir_Chunk = 0; LRU_Run_Interval = 1;')
    expect(change?.sentence).toContain('reads when it is restarted.')
    expect(await doAll('ganesha')).toEqual([])
    expect(gateway.read(ganeshaConf)).toContain(
      '# MDCACHE { Dir_Chunk = 9; }\nCacheInode {\n  Entries_HWMark = 5; # Dir_Chunk = 0\n  Dir_Chunk = 0;\nLRU_Run_Interval = 1;',
    )
    expect(gateway.read(ganeshaConf)).toContain('}\nLOG { }\n')
    expect(gateway.read(`${ganeshaConf}.before-roost`)).toBe(theirs)
  })

  it('is reported before anything is done', () => {
    gateway.write(smbConf, '[global]\n')
    const preparations = preparationsFor(openMachine(gateway.root), setupsWith(openMachine(gateway.root), 'kernel'))
    expect(preparations.map(({ sentence }) => sentence)).toEqual([
      'Creates /etc/samba/roost.d/shares.conf without any shares.',
      "Adds '[global] include = /etc/samba/roost.d/shares.conf' to the end of /etc/samba/smb.conf. The current file is kept as /etc/samba/smb.conf.before-roost.",
      'Creates /etc/exports.d/roost.exports without any shares.',
    ])
    expect(gateway.read(smbConf)).toBe('[global]\n')
  })

  it('has its files as a deployment without shares leaves them, which therefore changes nothing', async () => {
    gateway.write(smbConf, '[global]\n')
    await doAll('kernel')
    const state = { kind: 'gateway' as const, storage: null, shares: [] }
    expect((await gateway.applier.plan(state)).files).toEqual([])
    expect(await gateway.applier.apply(state, 1, () => {})).toMatchObject({ outcome: 'applied' })
    expect(gateway.commands.filter((line) => /^(?:exportfs|smbcontrol)/.test(line))).toEqual([])
  })

  it.each([
    ['smbd', null],
    ['ganesha.nfsd', 'ganesha'],
    ['rpc.mountd', 'kernel'],
  ] as const)('is a gateway from then on, as long as %s is installed', async (program, nfs) => {
    gateway.write(smbConf, '[global]\n')
    const machine = openMachine(gateway.root)
    rmSync(join(gateway.root, '/usr/sbin/smbd'))
    gateway.write(`/usr/sbin/${program}`, '')
    expect(isPrepared(machine)).toBe(false)
    await doAll(nfs)
    expect(isPrepared(machine)).toBe(true)
    rmSync(join(gateway.root, `/usr/sbin/${program}`))
    expect(isPrepared(machine)).toBe(false)
  })

  it('keeps its smb.conf when Samba would not take it with the block', async () => {
    gateway.write(smbConf, '[global]\n')
    await expect(doAll(null, refuse)).rejects.toThrow('testparm: no')
    expect(gateway.read(smbConf)).toBe('[global]\n')
  })

  it('is refused where one of the files is bound into a container by itself', () => {
    gateway.write('/proc/self/mountinfo', '30 20 8:1 /smb.conf /etc/samba/smb.conf rw - ext4 /dev/sda1 rw\n')
    expect(() => preparationsFor(openMachine(gateway.root), setupsWith(openMachine(gateway.root), null))).toThrow(
      /^\/etc\/samba\/smb\.conf is a mount point of its own, .* Bind-mount the folder \/etc\/samba instead\.$/,
    )
  })
})
