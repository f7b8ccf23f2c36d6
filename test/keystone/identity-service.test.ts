import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addProxy, halfHourMs, storageOf, usageMessage } from '../support/database/usage-rows.js'
import { shareApi } from '../support/http/shared-api.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { runRoost } from '../support/programs/processes.js'
import { useFolder } from '../support/programs/folder.js'

interface StoredRow {
  readonly account: string
  readonly account_name?: string
}

describe.skipIf(!isKeystoneEnabled)(
  'the identity service of a cluster (as root, with ROOST_TEST_SYSTEM=1)',
  async () => {
    const folder = await useFolder('identity')
    const server = shareApi()
    let keystone: Keystone
    beforeAll(async () => {
      keystone = await startKeystone({ isPrivateTls: true })
      await (await keystone.admin()).make('/roles', 'role', { name: 'ResellerAdmin' })
    })
    afterAll(() => keystone?.remove())

    let id = 0
    let uri = ''
    beforeEach(async () => {
      id = await addCluster(server.api.database)
      uri = `/api/v1/clusters/${id}/identity/`
    })

    const login = (more: object = {}) => ({
      auth_url: keystone.url,
      user: 'admin',
      project: 'admin',
      key: keystone.adminPassword,
      ca: keystone.ca,
      ...more,
    })
    const shown = () => ({
      cluster: `/api/v1/clusters/${id}/`,
      resource_uri: uri,
      auth_url: keystone.url,
      user: 'admin',
      user_domain: null,
      project: 'admin',
      project_domain: null,
      application_credential_id: null,
      ca: keystone.ca,
      domain: 'roost',
      role: 'member',
      reseller_role: 'ResellerAdmin',
    })
    const lastAudit = () => server.api.database.prisma.auditEvent.findFirst({ orderBy: { id: 'desc' } })

    it('is set, shown without its key, audited, encrypted and removed', async () => {
      expect((await server.get(uri)).status).toBe(404)
      const { status, body } = await server.post(uri, login())
      expect([status, body]).toEqual([202, shown()])
      expect((await server.get(uri)).body).toEqual(shown())
      expect(await lastAudit()).toMatchObject({
        action: 'set_identity',
        resourceId: id,
        changes: { key: [null, '***'] },
      })
      const row = await server.api.database.prisma.identityService.findUniqueOrThrow({ where: { clusterId: id } })
      expect(Buffer.from(row.key).includes(keystone.adminPassword)).toBe(false)
      expect((await server.remove(uri)).status).toBe(204)
      expect(await lastAudit()).toMatchObject({
        action: 'unset_identity',
        resourceId: id,
        changes: { key: ['***', null] },
      })
      expect((await server.remove(uri)).status).toBe(404)
    })

    it('logs in by an application credential, and scoped to the system', async () => {
      const admin = await keystone.admin()
      const path = `/users/${admin.userId}/application_credentials`
      const made = await admin.make(path, 'application_credential', { name: `of-${id}`, secret: 'secret-of-lab' })
      const credential = { user: null, project: null, application_credential_id: made.id }
      const first = await server.post(uri, login({ ...credential, key: 'secret-of-lab' }))
      expect([first.status, first.body]).toMatchObject([202, { ...credential }])
      const second = await server.post(uri, login({ project: null }))
      expect([second.status, second.body]).toMatchObject([202, { user: 'admin', project: null }])
    })

    it('is refused with what Keystone answered, on the field to change', async () => {
      const { api } = server
      const faults = [
        [login({ key: 'wrong' }), 'key', 'Keystone answered 401 to the login'],
        [login({ ca: null }), 'ca', 'is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
        [login({ auth_url: 'https://127.0.0.1:1/v3' }), 'auth_url', 'does not answer (ECONNREFUSED)'],
        [login({ auth_url: `${api.url}/v3`, ca: api.ca }), 'auth_url', 'Keystone answered 404'],
        [login({ role: 'swiftoperator' }), 'role', 'openstack role create swiftoperator'],
        [login({ auth_url: 'https://keystone.example:5000' }), 'auth_url', 'such as https://keystone.example:5000/v3'],
        [login({ user: null }), 'user', 'Give a user, or an application credential'],
        [login({ application_credential_id: 'a' }), 'user', 'An application credential has its own user'],
        [login({ project: null, project_domain: 'Default' }), 'project', 'Add the project of this domain'],
        [login({ ca: 'no certificate' }), 'ca', 'PEM'],
      ] as const
      for (const [body, field, sentence] of faults) {
        const answer = await server.post(uri, body)
        expect([answer.status, answer.body]).toEqual([400, { clusters: expect.anything() }])
        expect(answer.body.clusters[field].join(' ')).toContain(sentence)
        expect(answer.text).not.toContain(keystone.adminPassword)
      }
      const unprivileged = await (await keystone.admin()).make('/users', 'user', { name: `user-${id}`, password: 'p' })
      const admin = await keystone.admin()
      const { body } = await admin.call('GET', '/roles?name=reader')
      const [reader] = body['roles'] as readonly { readonly id: string }[]
      await admin.call('PUT', `/projects/${admin.projectId}/users/${unprivileged.id}/roles/${reader?.id}`)
      const answer = await server.post(uri, login({ user: `user-${id}`, key: 'p' }))
      expect(answer.body.clusters.key.join(' ')).toContain('Give this login the role admin.')
      expect((await server.get(uri)).status).toBe(404)
    })

    it('names the accounts of its projects in usage; a user of Roost names its own', async () => {
      const { prisma } = server.api.database
      expect((await server.post(uri, login())).status).toBe(202)
      const admin = await keystone.admin()
      const project = (name: string) => admin.make('/projects', 'project', { name, domain_id: 'default' })
      const [ours, archive] = [await project('ours'), await project('Video archive')]
      const user = { clusterId: id, password: new Uint8Array(1), isSuperuser: false, enabled: true, projectId: ours.id }
      await prisma.user.create({ data: { ...user, name: 'bob', nameKey: 'bob', lineKey: 'bob', login: 'bob' } })
      const node = await addProxy(server.api.database, id)
      const begin = Math.floor(Date.now() / halfHourMs - 4) * halfHourMs
      const accounts = [`AUTH_${ours.id}`, `AUTH_${archive.id}`, 'AUTH_unknown']
      const storage = accounts.map((name) => storageOf(name, 1))
      await server.api.context.utilization.intake.accept(node, usageMessage(begin, { storage }))
      expect((await server.post(uri, login())).status).toBe(202)
      const path = `/api/v1/clusters/${id}/utilization/storage/0/?start=${new Date(begin).toISOString()}`
      const { body } = await server.get(path)
      const named = body.objects.map((row: StoredRow) => [row.account, row.account_name])
      expect(Object.fromEntries(named)).toEqual({
        [accounts[0] ?? '']: 'bob',
        [accounts[1] ?? '']: 'Video archive',
        [accounts[2] ?? '']: undefined,
      })
    })

    it('is the same over tRPC, and not for operators who may only read', async () => {
      const { url, ca, key } = server.api
      const client = createClient({ url, ca, apiKey: key })
      expect(await client.rpc.clusters.identity.query({ id })).toBeNull()
      expect(await client.rpc.clusters.setIdentity.mutate({ id, ...login(), ca: keystone.ca ?? null })).toEqual(shown())
      expect(await client.rpc.clusters.identity.query({ id })).toEqual(shown())
      const reader = createClient({ url, ca, apiKey: await server.api.addOperator({ role: 'read_only' }) })
      const forbidden = { data: { code: 'FORBIDDEN' } }
      await expect(reader.rpc.clusters.setIdentity.mutate({ id, ...login() })).rejects.toMatchObject(forbidden)
      await expect(reader.rpc.clusters.unsetIdentity.mutate({ id })).rejects.toMatchObject(forbidden)
      await client.rpc.clusters.unsetIdentity.mutate({ id })
      expect(await client.rpc.clusters.identity.query({ id })).toBeNull()
      await Promise.all([client.close(), reader.close()])
    })

    it('is set by the command line, whose key is in a file', async () => {
      const { url, ca, key } = server.api
      const files = { key: join(folder, 'key'), ca: join(folder, 'ca'), roost: join(folder, 'roost-ca') }
      await Promise.all([
        writeFile(files.key, `${keystone.adminPassword}\n`),
        writeFile(files.ca, keystone.ca ?? ''),
        writeFile(files.roost, ca),
      ])
      const env = { PATH: process.env['PATH'] ?? '', ROOST_URL: url, ROOST_CA: files.roost, ROOST_API_KEY: key }
      const at = ['--auth-url', keystone.url, '--user', 'admin', '--project', 'admin', '--domain', 'swift-users']
      const set = await runRoost(
        ['cluster', 'set-identity', String(id), ...at, '--key-file', files.key, '--ca-file', files.ca],
        env,
      )
      expect(set).toMatchObject({ code: 0, stderr: '' })
      expect(set.stdout).toContain('its users get domain swift-users with their next deployment')
      const show = await runRoost(['cluster', 'identity', String(id), '-o', 'json'], env)
      expect(JSON.parse(show.stdout)).toMatchObject([{ domain: 'swift-users', ca: await readFile(files.ca, 'utf8') }])
      expect((await runRoost(['cluster', 'unset-identity', String(id)], env)).code).toBe(0)
      expect((await runRoost(['cluster', 'identity', String(id)], env)).stderr).toContain('set-identity')
    })
  },
)
