import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'
import { exportsFile, sambaFile } from './testing/own-files.js'

let gateway: ScriptedGateway
const { apply } = useScriptedGateway((next) => (gateway = next))

describe('a file that was changed by hand', () => {
  const shares = [nfsShare(1, { clients_allowed_list: '10.0.0.0/8' }), cifsShare(2, { cifs_valid_users: 'alice' })]
  const edit = (path: string, from: string | RegExp, to: string) =>
    gateway.write(path, (gateway.read(path) ?? '').replace(from, to))
  beforeEach(async () => void (await apply(1, ...shares)))

  it('is shown with a diff, and stays as it is', async () => {
    edit(sambaFile, 'read only = no', 'read only = yes')
    const [item] = await gateway.applier.drift()
    expect(item).toMatchObject({ subject: sambaFile, message: 'The file was changed by hand.' })
    expect(item?.diff).toContain('-    read only = no\n+    read only = yes\n')
    expect(gateway.read(sambaFile)).toContain('read only = yes')
  })

  it('is reported as soon as the file is changed', async () => {
    let changes = 0
    const end = gateway.applier.watch?.(() => (changes += 1))
    try {
      edit(sambaFile, 'read only = no', 'read only = yes')
      await expect.poll(() => changes, { timeout: 90_000 }).toBeGreaterThan(0)
    } finally {
      end?.()
    }
  })

  it('is also reported where the folder was made, or made again, after the agent’s start', async () => {
    const folder = join(gateway.root, dirname(sambaFile))
    const text = gateway.read(sambaFile) ?? ''
    rmSync(folder, { recursive: true })
    let changes = 0
    const end = gateway.applier.watch?.(() => (changes += 1))
    onTestFinished(() => end?.())
    for (const time of ['made', 'made again']) {
      const before = changes
      gateway.write(sambaFile, text)
      await expect.poll(() => changes, { message: time }).toBeGreaterThan(before)
      const known = changes
      edit(sambaFile, 'read only = no', 'read only = yes')
      await expect.poll(() => changes, { message: time }).toBeGreaterThan(known)
      rmSync(folder, { recursive: true })
    }
  })

  it('maps back to the fields that would make it', async () => {
    edit(sambaFile, 'read only = no', 'read only = yes')
    edit(sambaFile, 'valid users = alice', 'valid users = alice bob @staff')
    edit(exportsFile, '(rw', '(ro')
    expect((await gateway.applier.drift()).map(({ adoptable }) => adoptable)).toEqual([
      [{ id: 1, fields: { access_mode: 'ro' } }],
      [{ id: 2, fields: { access_mode: 'ro', cifs_valid_users: 'alice,bob', cifs_valid_groups: 'staff' } }],
    ])
  })

  it.each([
    ['an option that no field has', sambaFile, 'read only = no', 'read only = no\n    wide links = yes'],
    ['a section more', sambaFile, /$/, '[mine]\n    path = /srv/mine\n'],
    ['a section less', sambaFile, /\[share2\][^]*/, ''],
    ['another account to write by', sambaFile, 'force user = nobody', 'force user = root'],
    ['what Samba would read otherwise', sambaFile, 'read only = no', 'read only = no\\\n'],
    ['an export more', exportsFile, /$/, '/etc *(rw)\n'],
    ['another fsid', exportsFile, 'fsid=1', 'fsid=3'],
    ['options of one client', exportsFile, /$/, '/srv/roost/1 10.0.0.1(ro,fsid=1) 10.0.0.2(rw,fsid=1)\n'],
  ])('maps to no field with %s', async (_what, path, from, to) => {
    edit(path, from, to)
    const items = await gateway.applier.drift()
    expect(items.map(({ subject, adoptable }) => [subject, adoptable])).toEqual([[path, undefined]])
    expect(items[0]?.message).toMatch(/in a way that no share setting can express/)
  })

  it('is written over by the next deployment, and not before', async () => {
    edit(exportsFile, '(rw', '(ro')
    await apply(2, ...shares)
    expect(gateway.read(exportsFile)).toContain('(rw')
    expect(await gateway.applier.drift()).toEqual([])
  })

  it('is missed when it is gone', async () => {
    const again = gateway.again()
    gateway.write(exportsFile, '')
    expect(await again.drift()).toMatchObject([{ subject: exportsFile }])
  })
})
