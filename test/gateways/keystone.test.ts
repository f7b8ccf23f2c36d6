import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startGatewayLab } from '../support/gateway/lab.js'
import type { GatewayLab } from '../support/gateway/lab.js'
import { objectsOf } from '../support/gateway/objects.js'
import { makeCertificates } from '../support/keystone/certificates.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { addProject, addUser, grantRole, registerSwift } from '../support/keystone/object-store.js'
import { signIn } from '../support/keystone/session.js'
import type { KeystoneSession } from '../support/keystone/session.js'
import { startTlsFront } from '../support/swift/tls-front.js'
import type { TlsFront } from '../support/swift/tls-front.js'

vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 })

const proxyOrigin = 'http://127.0.2.1:8080'
const passwords = { first: 'first password of gateways', second: 'second-password' } as const

describe.skipIf(!isKeystoneEnabled || !existsSync('/dev/fuse') || !process.env['ROOST_TEST_LONG'])(
  'a gateway on a Swift with Keystone (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)',
  () => {
    let keystone: Keystone
    let admin: KeystoneSession
    let lab: GatewayLab
    let front: TlsFront
    let folder: string
    let storage: string
    /** PEM of the authorities of Keystone and of Swift. */
    let ca: string
    let gatewayUser: string
    let creator: KeystoneSession
    let otherCreator: KeystoneSession
    let login: Readonly<Record<string, string>>

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'roost-tls-'))
      const certificates = await makeCertificates(folder)
      keystone = await startKeystone({ isPrivateTls: true })
      ca = `${keystone.ca ?? ''}${certificates.ca}`
      front = await startTlsFront(() => lab.swift.proxyUrl, certificates)
      const registered = await registerSwift(keystone, [
        { interface: 'internal', region: 'Elsewhere', origin: 'http://127.0.0.1:1' },
        { interface: 'internal', region: 'RegionOne', origin: `https://127.0.0.1:${front.port}` },
        { interface: 'public', region: 'RegionOne', origin: proxyOrigin },
      ])
      admin = await keystone.admin()
      const [project, other] = [await addProject(admin, 'shares'), await addProject(admin, 'other')]
      const people = (await admin.make('/domains', 'domain', { name: 'People' })).id
      gatewayUser = await addUser(admin, 'gateways', passwords.first, people)
      const reader = await addUser(admin, 'reader', passwords.first, people)
      await grantRole(admin, 'member', gatewayUser, project)
      await grantRole(admin, 'reader', reader, project)
      const user = await addUser(admin, 'creator', passwords.first)
      for (const id of [project, other]) await grantRole(admin, 'member', user, id)
      const sign = (name: string) =>
        signIn(keystone.url, { name: 'creator', password: passwords.first, project: name }, keystone.ca)
      ;[creator, otherCreator] = [await sign('shares'), await sign('other')]
      lab = await startGatewayLab({
        keystone: registered,
        openObjects: async (swift) => objectsOf(`${swift.proxyUrl}/v1/AUTH_${project}`, creator.token),
      })
      for (const port of [keystone.port, front.port]) await lab.swift.publish(port)
      storage = `${(await lab.get(lab.node)).cluster}storage/`
      login = {
        auth_url: keystone.url,
        user: 'gateways',
        key: passwords.first,
        user_domain: 'People',
        project: 'shares',
        project_domain: 'Default',
        region: 'RegionOne',
        interface: 'internal',
        ca,
      }
    })
    afterAll(async () => {
      await lab?.stop()
      front?.close()
      await keystone?.remove()
      await rm(folder, { recursive: true, force: true })
    })

    const set = async (fields: object) => {
      const { status, text } = await lab.api.call(storage, { method: 'POST', body: fields })
      if (status !== 202) throw new Error(`The login is refused: ${text}`)
    }
    const credential = async (session: KeystoneSession, name: string) => {
      const path = `/users/${session.userId}/application_credentials`
      const made = await session.call('POST', path, { application_credential: { name, roles: [{ name: 'member' }] } })
      return made.body['application_credential'] as { readonly id: string; readonly secret: string }
    }
    const written = async (name: string, share = 'files') => {
      const md5 = await lab.makeFile(name, 50_000)
      expect(await lab.nfsPut(name, share, name)).toMatchObject({ code: 0 })
      return md5
    }
    /** Returns the MD5 of an object once it is in its container. */
    const stored = async (container: string, name: string) => {
      await expect.poll(() => lab.objects.find(container, name), { timeout: 180_000 }).toBeDefined()
      return (await lab.objects.find(container, name))?.etag
    }
    const mounts = async () => Number(await lab.gateway.exec('grep -c fuse.rclone /proc/self/mountinfo || true'))

    it('fails with what Keystone or Swift answered to the login, and nothing is mounted', async () => {
      await lab.addShare({ name: 'files', objectstore_container: 'files' })
      const { ca: _, ...withoutCa } = login
      const faults: readonly (readonly [object, RegExp])[] = [
        [
          { ...login, key: 'wrong' },
          /gateways of the project shares does not work \(Keystone at https:\S+ answered with 401: The request you have made requires authentication/,
        ],
        [{ ...login, project: 'unknown' }, /answered with 401/],
        [{ ...login, user: 'reader' }, /answered with 403: give the user one of the operator_roles/],
        [{ ...login, region: 'Third' }, /no object-store endpoint .*region Third.* It has: .*internal in Elsewhere/],
        [withoutCa, /certificate/],
      ]
      for (const [fault, sentence] of faults) {
        await set(fault)
        const { state, message } = await lab.deploy()
        expect([state, message]).toEqual(['COMPLETED_FAILED', expect.stringMatching(sentence)])
        expect(message).toContain('roost cluster set-storage')
        expect(message).not.toMatch(/first password|wrong/)
      }
      expect(await mounts()).toBe(0)
    })

    it('mounts by a password, whose files arrive in the container of the project over TLS of private CAs', async () => {
      await set(login)
      await lab.deployed()
      const md5 = await written('by-password.bin')
      expect(await stored('files', 'by-password.bin')).toBe(md5)
    })

    it('has another password after the login was set again', async () => {
      const path = `/users/${gatewayUser}`
      const { status } = await admin.call('PATCH', path, { user: { password: passwords.second } })
      expect(status).toBe(200)
      await set({ ...login, key: passwords.second })
      await lab.deployed()
      const md5 = await written('by-second.bin')
      expect(await stored('files', 'by-second.bin')).toBe(md5)
    })

    it('uploads what waits under an application credential of the same project, and refuses one of another', async () => {
      const late = await lab.addShare({ name: 'late', objectstore_container: 'late', upload_delay: 3600 })
      await lab.deployed()
      const md5 = await written('waits.bin', 'late')
      expect(await lab.objects.find('late', 'waits.bin')).toBeUndefined()
      const target = { auth_url: keystone.url, project: 'shares', project_domain: 'Default', ca }
      const other = await credential(otherCreator, 'of-other')
      await set({ ...target, application_credential_id: other.id, key: other.secret })
      expect(await lab.deploy()).toMatchObject({
        state: 'COMPLETED_FAILED',
        message: expect.stringContaining('a token of the project other of the domain Default, not of shares'),
      })
      // A user who no longer exists can upload nothing: the file is uploaded by the credential.
      const mine = await credential(creator, 'of-shares')
      await set({ ...target, region: 'RegionOne', application_credential_id: mine.id, key: mine.secret })
      await admin.call('DELETE', `/users/${gatewayUser}`)
      await lab.patch(late.resource_uri, { upload_delay: 5 })
      await lab.deployed()
      expect(await stored('late', 'waits.bin')).toBe(md5)
      const after = await written('by-credential.bin')
      expect(await stored('files', 'by-credential.bin')).toBe(after)
      const problems = async () => (await lab.get(lab.node)).problems.map(({ code }: { code: string }) => code)
      await expect.poll(problems, { timeout: 60_000 }).not.toContain('storage_unreachable')
    })

    it('mounts by an application credential that is named with its user', async () => {
      const named = await credential(creator, 'by name')
      await set({
        auth_url: keystone.url,
        user: 'creator',
        user_domain: 'Default',
        application_credential_name: 'by name',
        key: named.secret,
        ca,
      })
      await lab.deployed()
      const md5 = await written('by-name.bin')
      expect(await stored('files', 'by-name.bin')).toBe(md5)
    })
  },
)
