import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DesiredShare } from '@roost/api-types/agent'
import { describe, expect, it } from 'vitest'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'
import { exportsFile, sambaFile } from './testing/own-files.js'

let gateway: ScriptedGateway
const { apply, count, state } = useScriptedGateway((next) => (gateway = next))

describe('a deployment to a gateway', () => {
  it('writes the files, has them read and taken, and says how far it is', async () => {
    const progress: string[] = []
    const outcome = await gateway.applier.apply(state(nfsShare(1), cifsShare(2)), 4, (at) => void progress.push(at))
    expect(outcome).toMatchObject({ outcome: 'applied', in_force: 4, message: '' })
    expect(progress).toEqual(['planned', 'staged'])
    expect(gateway.read(exportsFile)).toContain('# generation 4, ')
    expect(gateway.read(sambaFile)).toContain('[share2]')
    expect(outcome.files.map(({ path }) => path)).toEqual([exportsFile, sambaFile])
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([1, 1])
    expect(await gateway.applier.drift()).toEqual([])
  })

  it('writes and reloads once for the same state sent a hundred times', async () => {
    await apply(1, nfsShare(1), cifsShare(2))
    const written = [gateway.read(exportsFile), gateway.read(sambaFile)]
    for (let generation = 2; generation <= 100; generation++)
      expect(await apply(generation, nfsShare(1), cifsShare(2))).toMatchObject({ in_force: generation })
    expect([gateway.read(exportsFile), gateway.read(sambaFile)]).toEqual(written)
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([1, 1])
  })

  it('writes its own files and no other', async () => {
    const files = () =>
      readdirSync(gateway.root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(gateway.root.length))
        .filter((path) => !path.startsWith('/state/'))
    const before = new Map(files().map((path) => [path, gateway.read(path)]))
    await apply(1, nfsShare(1), cifsShare(2, { objectstore_container: '../../etc', password: 'S3CR3T-canary' }))
    await apply(2, nfsShare(1, { secure: true }))
    const changed = files().filter((path) => gateway.read(path) !== before.get(path))
    expect(changed.toSorted()).toEqual([exportsFile, sambaFile, '/var/lib/nfs/etab'])
  })

  it('leaves a server alone that has nothing to do with it', async () => {
    gateway.write('/etc/samba/smb.conf', '[global]\n')
    expect(await apply(1, nfsShare(1))).toMatchObject({ outcome: 'applied' })
    expect(gateway.read(sambaFile)).toBeUndefined()
    expect(count('smbcontrol')).toBe(0)
  })

  it('returns to an earlier generation under its own number, as after a deployment that was not confirmed', async () => {
    await apply(7, nfsShare(1), cifsShare(2))
    const text = (path: string) => gateway.read(path)?.replace(/^# generation .*$/m, '')
    const before = [text(exportsFile), text(sambaFile)]
    await apply(8, cifsShare(2, { cifs_guest_ok: false }))
    expect([text(exportsFile), text(sambaFile)]).not.toEqual(before)
    expect(await apply(7, nfsShare(1), cifsShare(2))).toMatchObject({ outcome: 'applied', in_force: 7 })
    expect([text(exportsFile), text(sambaFile)]).toEqual(before)
    expect(await gateway.applier.drift()).toEqual([])
  })

  it('fails without touching anything when a check refuses a file', async () => {
    await apply(1, cifsShare(2))
    const before = gateway.read(sambaFile)
    gateway.fail('testparm', 'Error loading services.', 9)
    const outcome = await apply(2, cifsShare(2, { cifs_guest_ok: false }))
    expect(outcome).toMatchObject({ outcome: 'failed', in_force: 1, message: 'testparm: Error loading services.' })
    expect(gateway.read(sambaFile)).toEqual(before)
    expect(gateway.read(`${sambaFile}.new`)).toBeUndefined()
    expect(count('smbcontrol smbd reload-config')).toBe(1)
  })

  it('returns to the last good generation, and tells the servers again, when a reload fails', async () => {
    await apply(1, cifsShare(2))
    const before = gateway.read(sambaFile)
    gateway.fail('smbcontrol smbd reload-config', "Can't find pid for destination 'smbd'")
    const outcome = await apply(2, cifsShare(2, { cifs_guest_ok: false }))
    expect(outcome).toMatchObject({
      outcome: 'rolled_back',
      in_force: 1,
      message: expect.stringContaining("Can't find pid"),
    })
    expect(gateway.read(sambaFile)).toEqual(before)
    expect(count('smbcontrol smbd reload-config')).toBe(3)
    expect(await gateway.applier.drift()).toEqual([])
  })

  it('says what could not be put back, and reloads the servers again with the next generation', async () => {
    await apply(1, cifsShare(2))
    gateway.fail('smbcontrol smbd reload-config', 'no answer', 2)
    const outcome = await apply(2, cifsShare(2, { cifs_guest_ok: false }))
    expect(outcome).toMatchObject({
      outcome: 'rolled_back',
      message: expect.stringMatching(/no answer.* Errors during the rollback: /),
    })
    expect(gateway.read('/state/under-way.json')).toBeDefined()
    expect(await apply(3, cifsShare(2))).toMatchObject({ outcome: 'applied', in_force: 3 })
    expect(gateway.read('/state/under-way.json')).toBeUndefined()
    expect(count('smbcontrol smbd reload-config')).toBe(4)
  })

  it('returns when a server does not serve what was deployed', async () => {
    await apply(1, cifsShare(2))
    const before = gateway.read(sambaFile)
    gateway.listed.push('share2')
    const outcome = await apply(2, cifsShare(2), cifsShare(3))
    expect(outcome).toMatchObject({
      outcome: 'rolled_back',
      in_force: 1,
      message: "smbd does not serve the deployed shares: Samba does not list the share 'share3'.",
    })
    expect(gateway.read(sambaFile)).toBe(before)
  })

  it('tells a server again that does not serve what its file says, when that is deployed again', async () => {
    await apply(1, nfsShare(1))
    gateway.write('/var/lib/nfs/etab', '')
    expect(await gateway.applier.drift()).toEqual([
      { subject: 'nfs-kernel-server', message: '/srv/roost/1 is not exported.', diff: '' },
    ])
    await apply(2, nfsShare(1))
    expect(count('exportfs -r')).toBe(2)
    expect(await gateway.applier.drift()).toEqual([])
  })

  it('takes every share away, and keeps an empty file', async () => {
    await apply(1, nfsShare(1), cifsShare(2))
    expect(await apply(2)).toMatchObject({ outcome: 'applied' })
    expect(gateway.read(sambaFile)).toMatch(/^# Written by Roost: .*\n# generation 2, .*\n\n$/)
    expect(gateway.read('/var/lib/nfs/etab')).toBe('')
  })
})

describe('what keeps a deployment from beginning', () => {
  const reason = async (...shares: readonly DesiredShare[]) => (await apply(1, ...shares)).message

  it('is a server that does not run', async () => {
    gateway.write('/proc/100/comm', 'bash\n')
    expect(await reason(cifsShare(2))).toMatch(/^smbd is not running on this node, but has shares to serve\. Start it/)
  })

  it('is an smb.conf that does not read our file', async () => {
    gateway.write('/etc/samba/smb.conf', '[global]\n')
    expect(await reason(cifsShare(2))).toMatch(/does not read .*shares\.conf: run `roost-agent gateway prepare`/)
  })

  it('is a section of the same name that was made by hand', async () => {
    gateway.write('/etc/samba/smb.conf', `[Share2]\n path = /x\n${gateway.read('/etc/samba/smb.conf')}`)
    expect(await reason(cifsShare(2))).toMatch(
      /^The section \[Share2\] of \/etc\/samba\/smb\.conf was written manually/,
    )
  })

  it('is an export with the same folder or fsid that was made by hand', async () => {
    gateway.write('/etc/exports', '# ours\n/data 10.0.0.1(rw,fsid=7)\n')
    expect(await reason(nfsShare(7))).toMatch(
      /^\/etc\/exports has the manually written export '\/data .*fsid=7.* Remove that export/,
    )
    expect(await reason(nfsShare(8))).toBe('')
  })

  it('are two NFS servers that run at once, whichever the configuration names', async () => {
    gateway.write('/proc/102/comm', 'ganesha.nfsd\n')
    expect(await reason(nfsShare(1))).toMatch(
      /both running on this node, but only one of them can serve clients\. Stop one of them/,
    )
    expect(await reason(cifsShare(2))).toBe('')
  })
})
