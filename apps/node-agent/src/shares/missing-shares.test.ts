import { beforeEach, describe, expect, it } from 'vitest'
import { describeMissing } from './missing-shares.js'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'
import { exportsFile, sambaFile } from './testing/own-files.js'

let gateway: ScriptedGateway
const { apply, count, state } = useScriptedGateway((next) => (gateway = next))

describe('a share that cannot be mounted', () => {
  const shares = [nfsShare(1), nfsShare(3), cifsShare(2)] as const
  beforeEach(() => void gateway.broken.add(3))

  it('is left out of the servers’ files, and the rest is deployed', async () => {
    expect(await apply(1, ...shares)).toEqual({
      outcome: 'failed',
      in_force: 0,
      partly: true,
      isIncomplete: true,
      message:
        "Shares that are not served because they are not mounted: 'share3'. 3 could not be mounted. The agent retries every minute.",
      files: [expect.objectContaining({ path: exportsFile }), expect.objectContaining({ path: sambaFile })],
    })
    expect(gateway.read(exportsFile)).toMatch(/^\/srv\/roost\/1 /m)
    expect(gateway.read(exportsFile)).not.toContain('/srv/roost/3')
    expect(gateway.read(sambaFile)).toContain('[share2]')
  })

  it('is no drift, and what is deployed without it is compared with what was rendered', async () => {
    await apply(1, ...shares)
    expect(await gateway.applier.drift()).toEqual([])
    gateway.write(exportsFile, (gateway.read(exportsFile) ?? '').replace('insecure', 'secure'))
    expect(await gateway.applier.drift()).toMatchObject([{ subject: exportsFile }])
  })

  it('costs the others nothing while it is tried again, and completes the generation when it is mounted', async () => {
    await apply(1, ...shares)
    for (let attempt = 0; attempt < 3; attempt++) await apply(1, ...shares)
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([1, 1])
    gateway.broken.clear()
    const outcome = await apply(1, ...shares)
    expect(outcome).toMatchObject({ outcome: 'applied', in_force: 1, message: '' })
    expect(outcome).not.toHaveProperty('isIncomplete')
    expect(gateway.read(exportsFile)).toContain('/srv/roost/3')
    expect([count('exportfs -r'), count('smbcontrol smbd reload-config')]).toEqual([2, 1])
  })

  it('is taken from the files when it was served before', async () => {
    gateway.broken.clear()
    await apply(1, ...shares)
    gateway.broken.add(2)
    expect(await apply(2, ...shares)).toMatchObject({ outcome: 'failed', in_force: 1, isIncomplete: true })
    expect(gateway.read(sambaFile)).not.toContain('[share2]')
    expect(gateway.read(exportsFile)).toContain('/srv/roost/3')
  })

  it('is named beside a protocol that failed', async () => {
    gateway.fail('testparm', 'Error loading services.', 9)
    const outcome = await apply(1, ...shares)
    expect(outcome).toMatchObject({ outcome: 'failed', in_force: 0, partly: true })
    expect(outcome).not.toHaveProperty('isIncomplete')
    expect(outcome.message).toMatch(
      /^CIFS could not be deployed: .* NFS is deployed\. Shares that are not served .*'share3'\./,
    )
  })

  it('leaves a server alone whose only share it is', async () => {
    gateway.broken.add(2)
    expect(await apply(1, ...shares)).toMatchObject({ outcome: 'failed', isIncomplete: true })
    expect(gateway.read(sambaFile)).toBeUndefined()
  })
})

it('names fifty missing shares at most, and three reasons', () => {
  const shares = Array.from({ length: 60 }, (_, i) => nfsShare(i + 1))
  const missing = shares.map(({ id }) => ({ share: id, reason: `Reason ${id}.` }))
  const [text = ''] = describeMissing(state(...shares), missing)
  expect(text).toContain("'share50' and 10 more. Reason 1. Reason 2. Reason 3. The agent")
})
