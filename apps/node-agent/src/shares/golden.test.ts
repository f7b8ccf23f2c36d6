import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DesiredState } from '@roost/api-types/agent'
import { describe, expect, it } from 'vitest'
import { renderShares, type ShareServers } from './index.js'
import { locations } from './testing/rendered-shares.js'

const golden = fileURLToPath(new URL('golden', import.meta.url))

function render(name: string, nfs: ShareServers['nfs']) {
  const desired = DesiredState.parse(JSON.parse(readFileSync(join(golden, name, 'desired.json'), 'utf8')))
  if (desired.kind !== 'gateway') throw new Error('The desired state is not that of a gateway.')
  const options = { servers: { nfs, cifs: 'samba' }, locations, generation: 7 } as const
  return Object.fromEntries(renderShares(desired.shares, options).map(({ path, content }) => [path, content]))
}

/** A new case: make the folder with `desired.json`, run with `-u`, and read what was written before it is committed. */
describe.each(readdirSync(golden))('the shares of golden/%s', (name) => {
  it('become exports(5)', async () => {
    const text = render(name, 'kernel')['/etc/exports.d/roost.exports']
    await expect(text).toMatchFileSnapshot(join(golden, name, 'exports'))
  })

  it('become blocks of nfs-ganesha', async () => {
    const text = render(name, 'ganesha')['/etc/ganesha/roost.d/exports.conf']
    await expect(text).toMatchFileSnapshot(join(golden, name, 'ganesha.conf'))
  })

  it('become sections of smb.conf', async () => {
    const text = render(name, 'kernel')['/etc/samba/roost.d/shares.conf']
    await expect(text).toMatchFileSnapshot(join(golden, name, 'smb.conf'))
  })
})
