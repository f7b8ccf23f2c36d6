import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { signIn } from '../support/keystone/session.js'

describe.skipIf(!isKeystoneEnabled)("Debian's Keystone (as root, with ROOST_TEST_SYSTEM=1)", () => {
  let keystone: Keystone
  beforeAll(async () => {
    keystone = await startKeystone({ isPrivateTls: true })
  })
  afterAll(() => keystone?.remove())

  it('lets its administrator sign in over TLS of a private CA, and keeps its data over a restart', async () => {
    const admin = await keystone.admin()
    expect(admin.endpoint('identity')).toBe(`${keystone.url}/`)
    const domain = await admin.make('/domains', 'domain', { name: 'kept' })
    await keystone.stop()
    await expect(keystone.admin()).rejects.toThrow('fetch failed')
    await keystone.start()
    const again = await keystone.admin()
    expect((await again.call('GET', `/domains/${domain.id}`)).body).toMatchObject({ domain: { name: 'kept' } })
  })

  it('refuses a wrong password, and a client that does not know the CA', async () => {
    const login = { name: 'admin', password: 'wrong', project: 'admin' }
    await expect(signIn(keystone.url, login, keystone.ca)).rejects.toThrow('Keystone answered 401')
    await expect(signIn(keystone.url, login)).rejects.toMatchObject({
      cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    })
  })
})
