import { describe, expect, it, beforeEach } from 'vitest'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'
import { exportsFile, sambaFile } from './testing/own-files.js'

let gateway: ScriptedGateway
const { apply, count, state } = useScriptedGateway((next) => (gateway = next))
const generations = () =>
  [exportsFile, sambaFile].map((file) => Number(/^# generation (\d+),/m.exec(gateway.read(file) ?? '')?.[1]))

const nfs = nfsShare(1)
const cifs = cifsShare(2)
const changed = [nfsShare(1, { secure: true }), cifsShare(2, { cifs_guest_ok: false })] as const

describe('one protocol of two', () => {
  beforeEach(async () => void (await apply(1, nfs, cifs)))

  it('is deployed when a check refuses the other one’s file, which stays as it was', async () => {
    gateway.fail('testparm', 'Error loading services.', 9)
    expect(await apply(2, ...changed)).toEqual({
      outcome: 'failed',
      in_force: 1,
      partly: true,
      message: 'CIFS could not be deployed: testparm: Error loading services. NFS is deployed.',
      files: [{ path: exportsFile, sha256: expect.any(String) }],
    })
    expect(generations()).toEqual([2, 1])
    expect(gateway.read('/var/lib/nfs/etab')).toContain(',secure,')
    expect(gateway.read(`${sambaFile}.new`)).toBeUndefined()
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([2, 1])
  })

  it('is deployed when the other one’s server does not take its file, and returns to the one before', async () => {
    gateway.fail('smbcontrol smbd reload-config', 'no answer')
    const outcome = await apply(2, ...changed)
    expect(outcome).toMatchObject({ outcome: 'rolled_back', in_force: 1, partly: true })
    expect(outcome.message).toMatch(/^CIFS could not be deployed: .*no answer.* NFS is deployed\.$/)
    expect(generations()).toEqual([2, 1])
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([2, 3])
    expect(gateway.read('/state/under-way.json')).toBeUndefined()
  })

  it('is deployed whichever of the two it is', async () => {
    gateway.fail('unshare', 'exportfs: Failed to resolve nowhere', 9)
    const outcome = await apply(2, ...changed)
    expect(outcome.message).toMatch(/^NFS could not be deployed: .*Failed to resolve.* CIFS is deployed\.$/)
    expect(generations()).toEqual([1, 2])
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([1, 2])
  })

  it.each([
    ['its server does not run', () => gateway.write('/proc/100/comm', 'bash\n'), changed],
    ['a setting of it cannot be written', () => {}, [changed[0], cifsShare(2, { cifs_create_mask: '9' })]],
  ])('is deployed when of the other one %s', async (_what, prepare, shares) => {
    prepare()
    expect(await apply(2, ...shares)).toMatchObject({ outcome: 'failed', in_force: 1, partly: true })
    expect(generations()).toEqual([2, 1])
  })

  it('is watched for drift in the generation that it has', async () => {
    gateway.fail('testparm', 'Error loading services.', 1)
    await apply(2, ...changed)
    expect(await gateway.applier.drift()).toEqual([])
    gateway.write(exportsFile, (gateway.read(exportsFile) ?? '').replace('secure', 'insecure'))
    expect(await gateway.applier.drift()).toMatchObject([{ subject: exportsFile, adoptable: [{ id: 1 }] }])
  })

  it('is left alone when the next generation, or a return to an earlier one, puts the other one right', async () => {
    gateway.fail('testparm', 'Error loading services.', 1)
    await apply(2, ...changed)
    expect((await gateway.applier.plan(state(...changed))).files.map(({ path }) => path)).toEqual([sambaFile])
    const outcome = await apply(3, ...changed)
    expect(outcome).toMatchObject({ outcome: 'applied', in_force: 3, message: '' })
    expect(outcome).not.toHaveProperty('partly')
    expect(generations()).toEqual([2, 3])
    expect(count('exportfs -r')).toBe(2)
    gateway.fail('testparm', 'Error loading services.', 1)
    expect(await apply(4, nfs, cifs)).toMatchObject({ in_force: 3, partly: true })
    expect(await apply(5, ...changed)).toMatchObject({ outcome: 'applied', in_force: 5 })
    expect(generations()).toEqual([5, 3])
  })

  it('takes its mounts with it, and leaves those of the other one, wanted or served', async () => {
    gateway.fail('smbcontrol smbd reload-config', 'no answer')
    await apply(2, nfsShare(4), cifsShare(3))
    // The old share 2 is served on, the new share 3 is not; 1 and 4 are the business of NFS.
    expect(gateway.mounts.slice(-3)).toEqual(['start', 'keep unchanged /srv/roost/2 /srv/roost/3', 'settle'])
    gateway.write('/proc/100/comm', 'bash\n')
    await apply(3, nfsShare(5), cifsShare(3))
    expect(gateway.mounts.slice(-3)).toEqual([
      'start /srv/roost/2 /srv/roost/3',
      'keep unchanged /srv/roost/2 /srv/roost/3',
      'settle',
    ])
  })

  it('has no part in the accounts of the other one', async () => {
    gateway.fail('testparm', 'Error loading services.', 1)
    await apply(2, nfs, cifsShare(2, { password: 'S3CR3T-canary' }))
    expect(count('smbpasswd')).toBe(0)
    await apply(3, nfs, cifsShare(2, { password: 'S3CR3T-canary' }))
    expect(count('smbpasswd')).toBe(1)
    gateway.fail('unshare', 'exportfs: no', 1)
    await apply(4, changed[0], cifsShare(2, { password: 'S3CR3T-other' }))
    expect(count('smbpasswd')).toBe(2)
  })

  it('continues when the rollback of the other one failed, whose server is reloaded again', async () => {
    gateway.fail('smbcontrol smbd reload-config', 'no answer', 2)
    expect((await apply(2, ...changed)).message).toMatch(
      / Errors during the rollback: .*no answer.* NFS is deployed\.$/,
    )
    expect(gateway.read('/state/under-way.json')).toContain(sambaFile)
    expect(gateway.read('/state/under-way.json')).not.toContain(exportsFile)
    expect(await gateway.again().apply(state(nfs, cifs), 3, () => {})).toMatchObject({
      outcome: 'applied',
      in_force: 3,
    })
    expect(gateway.read('/state/under-way.json')).toBeUndefined()
    // Reloaded for 1, 2, 1 again, and once more for 1: it was unknown whether that reload worked.
    expect(count('smbcontrol smbd reload-config')).toBe(4)
  })
})

describe('both protocols', () => {
  it('stay as they were when both fail, each with its reason', async () => {
    await apply(1, nfs, cifs)
    gateway.fail('testparm', 'Error loading services.', 9)
    gateway.fail('unshare', 'exportfs: no such host', 9)
    const outcome = await apply(2, ...changed)
    expect(outcome).toMatchObject({ outcome: 'failed', in_force: 1, files: [] })
    expect(outcome).not.toHaveProperty('partly')
    expect(outcome.message).toMatch(
      /^NFS could not be deployed: .*no such host.* CIFS could not be deployed: testparm: Error loading services\.$/,
    )
    expect([generations(), gateway.mounts.at(-1)]).toEqual([[1, 1], 'abandon'])
  })

  it('fail for what is no protocol’s own, in one sentence', async () => {
    const outcome = await apply(1, nfs, cifsShare(1))
    expect(outcome).toMatchObject({ outcome: 'failed', in_force: 0 })
    expect(outcome.message).toMatch(/^Share 1: id /)
    expect(gateway.mounts).toEqual(['abandon'])
  })
})
