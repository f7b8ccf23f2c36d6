import type { DesiredShare } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it } from 'vitest'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'
import { exportsFile, sambaFile } from './testing/own-files.js'

let gateway: ScriptedGateway
const { apply, count, state } = useScriptedGateway((next) => (gateway = next))

describe('a plan', () => {
  it('changes nothing, and is the same as long as nothing changes', async () => {
    const plan = await gateway.applier.plan(state(nfsShare(1), cifsShare(2)))
    expect(plan.files).toMatchObject([
      { path: exportsFile, change: 'create', diff: expect.stringContaining('+/srv/roost/1 *(rw,') },
      { path: sambaFile, change: 'create', diff: expect.stringContaining('+[share2]') },
    ])
    expect(plan.daemons.map(({ daemon, action }) => [daemon, action])).toEqual([
      ['nfs-kernel-server', 'reload'],
      ['smbd', 'reload'],
    ])
    expect([gateway.read(exportsFile), gateway.read(sambaFile), count('exportfs -r')]).toEqual([
      undefined,
      undefined,
      0,
    ])
    expect(await gateway.applier.plan(state(nfsShare(1), cifsShare(2)))).toEqual(plan)
  })

  it('has one hunk when one of five hundred shares is edited, and closes nothing', async () => {
    const shares = Array.from({ length: 500 }, (_, i) => cifsShare(i + 1))
    await apply(1, ...shares)
    gateway.sessions.push({ pid: '7', share: 'share9', address: '10.0.0.9', user: 'alice' })
    const edited = shares.map((share) => (share.id === 250 ? { ...share, cifs_browseable: false } : share))
    const plan = await gateway.applier.plan(state(...edited))
    expect(plan.files[0]?.diff.match(/^@@ /gm)).toHaveLength(1)
    expect(plan.daemons).toEqual([{ daemon: 'smbd', action: 'reload', sessions_lost: [] }])
    const outcome = await apply(2, ...edited)
    expect(outcome.outcome).toBe('applied')
    expect(gateway.commands.filter((line) => line.includes('close-share'))).toEqual([])
  })

  it('says that nothing is to do where nothing is', async () => {
    await apply(1, nfsShare(1), cifsShare(2))
    const plan = await gateway.applier.plan(state(nfsShare(1), cifsShare(2)))
    expect(plan.files).toEqual([])
    expect(plan.daemons.map(({ action }) => action)).toEqual(['none', 'none'])
  })
})

describe('the sessions of a share', () => {
  const open = cifsShare(2, { clients_allowed_list: '10.0.0.0/8' })
  const near = { pid: '11', share: 'share2', address: '10.1.0.1', user: 'alice' }
  const far = { pid: '12', share: 'share2', address: '10.2.0.1', user: 'bob' }
  const other = { pid: '12', share: 'share3', address: '10.2.0.1', user: 'bob' }
  beforeEach(async () => {
    await apply(1, open, cifsShare(3))
    gateway.sessions.push(near, far, other)
  })
  const lostBy = async (...shares: readonly DesiredShare[]) =>
    (await gateway.applier.plan(state(...shares))).daemons.flatMap(({ sessions_lost }) =>
      sessions_lost.map(({ share, client }) => `${share} ${client}`),
    )

  it('are named that a narrower list of clients ends, and those alone are ended', async () => {
    const narrowed = cifsShare(2, { clients_allowed_list: '10.1.0.0/16' })
    expect(await lostBy(narrowed, cifsShare(3))).toEqual(['share2 10.2.0.1'])
    const plan = await gateway.applier.plan(state(narrowed, cifsShare(3)))
    expect(plan.daemons[0]?.action).toBe('close-share')
    await apply(2, narrowed, cifsShare(3))
    expect(gateway.sessions).toEqual([near, other])
    expect(gateway.commands).toContain('smbcontrol 12 close-share share2')
  })

  it.each([
    ['removing the share', [cifsShare(3)], ['share2 10.1.0.1', 'share2 10.2.0.1']],
    [
      'making it read-only',
      [{ ...open, access_mode: 'ro' as const }, cifsShare(3)],
      ['share2 10.1.0.1', 'share2 10.2.0.1'],
    ],
    ['naming its users', [{ ...open, cifs_valid_users: 'alice' }, cifsShare(3)], ['share2 10.2.0.1']],
    ['widening it', [cifsShare(2), cifsShare(3)], []],
    ['hiding it', [{ ...open, cifs_browseable: false }, cifsShare(3)], []],
    ['another share beside it', [open, cifsShare(3), cifsShare(4)], []],
  ])('%s', async (_what, shares, lost) => {
    expect(await lostBy(...shares)).toEqual(lost)
  })

  it('are unknown for host names of clients: sessions that may lose access are ended', async () => {
    expect(await lostBy(cifsShare(2, { clients_allowed_list: '.lab.example' }), cifsShare(3))).toHaveLength(2)
  })

  it('of NFS are the clients that the kernel and mountd remember, and that are refused from now on', async () => {
    await apply(2, nfsShare(1))
    gateway.write('/proc/fs/nfsd/clients/4/info', 'clientid: 0x1\naddress: "10.1.0.1:773"\n')
    gateway.write('/var/lib/nfs/rmtab', '10.2.0.1:/srv/roost/1:0x00000001\n10.3.0.1:/data:0x00000001\n')
    expect(await lostBy()).toEqual(['share1 10.1.0.1', 'share1 10.2.0.1'])
    expect(await lostBy(nfsShare(1, { clients_allowed_list: '10.1.0.0/16' }))).toEqual(['share1 10.2.0.1'])
  })
})
