import type { Job, JobTarget, User } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import { shareApi } from '../support/http/shared-api.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { signIn } from '../support/keystone/session.js'
import type { KeystoneSession } from '../support/keystone/session.js'

const deployments = '/api/v1/user_db_deployments/'
const password = 'correct-horse-battery-staple'
const other = 'another-horse-battery-staple'

describe.skipIf(!isKeystoneEnabled)('users of a cluster on Keystone (as root, with ROOST_TEST_SYSTEM=1)', () => {
  const server = shareApi()
  let keystone: Keystone
  let admin: KeystoneSession
  beforeAll(async () => {
    keystone = await startKeystone({ passwordRegex: '^(?!refused)' })
    admin = await keystone.admin()
    await admin.make('/roles', 'role', { name: 'ResellerAdmin' })
  })
  afterAll(() => keystone?.remove())

  /** A cluster whose users are in a domain of its own. */
  async function newCluster(name: string) {
    const id = await addCluster(server.api.database)
    const login = { auth_url: keystone.url, user: 'admin', project: 'admin', key: keystone.adminPassword, domain: name }
    expect((await server.post(`/api/v1/clusters/${id}/identity/`, login)).status).toBe(202)
    return { id, cluster: `/api/v1/clusters/${id}/`, identity: `/api/v1/clusters/${id}/identity/`, domain: name }
  }
  const addUser = async (cluster: string, user: string, more: object = {}): Promise<User> => {
    const { status, body } = await server.post('/api/v1/users/', { cluster, user, password, ...more })
    expect(status).toBe(201)
    return body
  }
  const change = async ({ resource_uri: uri }: User, fields: object) =>
    expect((await server.patch(uri, fields)).status).toBe(202)
  const deploy = async (body: object): Promise<Job> => {
    const { status, body: job, text } = await server.post(deployments, body)
    expect([status, text]).toEqual([201, expect.any(String)])
    return waitForJob(server.get, job)
  }
  const deployed = async (cluster: string) => {
    const job = await deploy({ cluster })
    expect([job.state, job.message]).toEqual(['COMPLETED_SUCCESS', expect.any(String)])
    return job
  }
  const objectsOf = ({ plan }: Job) =>
    plan?.identity?.objects.map(({ type, name, change: what, detail }) => [type, name, what, detail].join(' ').trim())
  const domainId = async (name: string) => {
    const { body } = await admin.call('GET', `/domains?name=${name}`)
    return (body['domains'] as readonly { readonly id: string }[])[0]?.id ?? ''
  }
  const logIn = async (domain: string, name: string, secret = password, project = name) =>
    signIn(keystone.url, { name, password: secret, project, domain: await domainId(domain) })
  const rolesOf = async (session: KeystoneSession) => {
    const { body } = await session.call('GET', '/auth/tokens')
    return body
  }
  const isAccepted = async (session: KeystoneSession) => (await session.call('GET', '/auth/projects')).status === 200
  const namesOf = async (kind: 'users' | 'projects', domain: string) => {
    const { body } = await admin.call('GET', `/${kind}?domain_id=${await domainId(domain)}`)
    return (body[kind] as readonly { readonly name: string }[]).map(({ name }) => name).toSorted()
  }

  it('are planned, created with a project and a role, and show account and login', async () => {
    const { cluster, identity, domain } = await newCluster('created')
    const bob = await addUser(cluster, 'bob')
    await addUser(cluster, 'root', { is_superuser: true })
    await addUser(cluster, 'off', { enabled: false })
    expect(bob).not.toHaveProperty('account')
    const early = await server.post(`${bob.resource_uri}s3_credentials/`, {})
    expect([early.status, early.body.error]).toEqual([409, expect.stringContaining('not in Keystone yet')])

    const planned = await deploy({ cluster, dry_run: true })
    expect(planned).toMatchObject({ state: 'COMPLETED_SUCCESS', cluster, targets: [{ identity, state: 'planned' }] })
    const lines = [
      'domain created create',
      'project bob create',
      'user bob create',
      'role bob grant member',
      'project root create',
      'user root create',
      'role root grant member',
      'role root grant ResellerAdmin',
      'project off create',
      'user off create disabled',
      'role off grant member',
    ]
    expect(objectsOf(planned)).toEqual(lines)
    expect(await domainId(domain)).toBe('')

    const job = await deploy({ cluster, plan_id: planned.plan?.plan_id })
    expect(job).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '', progress: 100 })
    expect(job.targets).toEqual([{ identity, state: 'applied', message: '' }])
    const session = await logIn(domain, 'bob')
    expect((await server.get(bob.resource_uri)).body).toMatchObject({
      account: `AUTH_${session.projectId}`,
      login: 'bob',
    })
    await expect(logIn(domain, 'off')).rejects.toThrow('Keystone answered 401')
    expect(JSON.stringify(await rolesOf(await logIn(domain, 'root')))).not.toContain(password)

    expect(objectsOf(await deploy({ cluster, dry_run: true }))).toEqual([])
    const { status, body } = await server.post(deployments, { cluster, plan_id: planned.plan?.plan_id })
    expect([status, body.error]).toEqual([409, expect.stringContaining('changed after the plan was reviewed')])
  })

  it('lose at once what they lose here, also by tokens of before, and keep their account', async () => {
    const { id, cluster, domain } = await newCluster('revoked')
    const [bob, eve, amy, gus] = (await Promise.all(
      ['bob', 'eve', 'amy', 'gus'].map((name) => addUser(cluster, name, { is_superuser: name === 'eve' })),
    )) as [User, User, User, User]
    await deployed(cluster)
    const tokens = await Promise.all(['bob', 'eve', 'amy', 'gus'].map((name) => logIn(domain, name)))
    expect(await Promise.all(tokens.map(isAccepted))).toEqual([true, true, true, true])
    const hasReseller = async (name: string) => {
      const { body } = await admin.call('GET', '/role_assignments?include_names')
      const rows = body['role_assignments'] as readonly { readonly user?: object; readonly role: object }[]
      return rows.some(({ user, role }) => Object(user).name === name && Object(role).name === 'ResellerAdmin')
    }
    expect(await hasReseller('eve')).toBe(true)

    await change(bob, { enabled: false })
    await change(eve, { is_superuser: false })
    await change(amy, { password: other })
    const refused = await server.post(`${amy.resource_uri}s3_credentials/?validate=1`, {})
    expect([refused.status, (await server.get(`${amy.resource_uri}s3_credentials/`)).body.access_keys]).toEqual([
      201,
      [],
    ])
    expect((await server.post(`${gus.resource_uri}s3_credentials/`, {})).status).toBe(201)
    expect((await server.remove(gus.resource_uri)).status).toBe(204)
    const planned = await deploy({ cluster, dry_run: true })
    expect(objectsOf(planned)?.toSorted()).toEqual([
      'role eve revoke ResellerAdmin',
      'user amy set_password',
      'user bob disable',
      'user gus disable removed in Roost',
    ])
    expect(planned.plan?.identity?.notes.join(' ')).toContain('token_cache_time')
    const unsure = await deploy({ cluster })
    expect([unsure.state, unsure.message]).toEqual(['COMPLETED_FAILED', expect.stringContaining('runs a proxy')])
    expect(await Promise.all(tokens.map(isAccepted))).toEqual([false, true, false, false])
    expect(await hasReseller('eve')).toBe(false)
    const proxy = await addLabNode(server.api, server.api.database, id, { runsProxy: true })
    onTestFinished(() => proxy.remove())
    const ended: string[] = []
    const end = async ({ users }: { readonly users: readonly string[] }) => {
      ended.push(...users)
      return { ended: 1, remain_s: 0, notes: [] }
    }
    await proxy.start({ requests: { end_cached_tokens: end } })
    expect((await deployed(cluster)).message).toBe('')
    expect(ended.toSorted()).toEqual(tokens.map(({ userId }) => userId).toSorted())
    await expect(logIn(domain, 'amy')).rejects.toThrow('401')
    await logIn(domain, 'amy', other)

    const { account } = (await server.get(bob.resource_uri)).body
    await change(bob, { enabled: true })
    const again = await addUser(cluster, 'gus', { password: other })
    const keys = async () => {
      const answer = await admin.call('GET', `/users/${tokens[3]?.userId}/credentials/OS-EC2`)
      return answer.body['credentials'] as readonly object[]
    }
    expect(await keys()).toHaveLength(1)
    await deployed(cluster)
    expect(`AUTH_${(await logIn(domain, 'bob')).projectId}`).toBe(account)
    expect(await keys()).toEqual([])
    const gusAgain = await logIn(domain, 'gus', other)
    expect(gusAgain.projectId).toBe(tokens[3]?.projectId)
    expect((await server.get(again.resource_uri)).body.account).toBe(`AUTH_${gusAgain.projectId}`)
  })

  it('do not touch what others made, whose names are in the message', async () => {
    const { cluster, domain } = await newCluster('shared')
    await addUser(cluster, 'bob')
    await deployed(cluster)
    const id = await domainId(domain)
    const foreign = await admin.make('/users', 'user', { name: 'eve', domain_id: id, password: 'of-another-program' })
    await addUser(cluster, 'eve')
    await addUser(cluster, 'amy')
    const job = await deploy({ cluster })
    expect(job).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'failed' }] })
    expect(job.message).toContain("Domain 'shared' has a user 'eve' that Roost did not create.")
    expect(await namesOf('projects', domain)).toEqual(['amy', 'bob'])
    const { body } = await admin.call('GET', `/users/${foreign.id}`)
    expect(body).toMatchObject({ user: { name: 'eve', enabled: true } })
    await signIn(keystone.url, { name: 'eve', password: 'of-another-program', domain: id })

    await admin.make('/domains', 'domain', { name: 'taken' })
    const second = await newCluster('taken')
    await addUser(second.cluster, 'bob')
    const refused = await deploy({ cluster: second.cluster })
    expect([refused.state, refused.message]).toEqual([
      'COMPLETED_FAILED',
      expect.stringContaining("Keystone has a domain 'taken' that Roost did not create for this cluster."),
    ])
    expect(await namesOf('users', 'taken')).toEqual([])
  })

  it('are corrected after changes in Keystone, except for their passwords', async () => {
    const { cluster, domain } = await newCluster('drifted')
    await addUser(cluster, 'bob')
    await deployed(cluster)
    const bob = await logIn(domain, 'bob')
    await admin.call('PATCH', `/users/${bob.userId}`, { user: { enabled: false, password: other } })
    const { body } = await admin.call('GET', '/roles?name=member')
    const [member] = body['roles'] as readonly { readonly id: string }[]
    await admin.call('DELETE', `/projects/${bob.projectId}/users/${bob.userId}/roles/${member?.id}`)
    const drift = await deploy({ cluster, dry_run: true })
    expect(objectsOf(drift)).toEqual(['role bob grant member', 'user bob enable'])
    await deployed(cluster)
    await logIn(domain, 'bob', other)

    await admin.call('DELETE', `/projects/${bob.projectId}`)
    const lost = await deploy({ cluster })
    expect(lost).toMatchObject({ state: 'COMPLETED_FAILED' })
    expect(lost.message).toContain(`The project of 'bob' (${bob.projectId}) is no longer in Keystone`)
  })

  it('that Keystone refuses leave nothing behind, and the others are served', async () => {
    const { cluster, domain } = await newCluster('refusing')
    const refused = 'refused-by-the-rules-of-keystone'
    await addUser(cluster, 'bad', { password: refused })
    const alone = await deploy({ cluster })
    expect(alone).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'rolled_back' }] })
    expect(alone.message).toContain('bad: Keystone answered 400 to POST /users')
    expect(JSON.stringify(alone)).not.toContain(refused)
    expect(await domainId(domain)).toBe('')
    await addUser(cluster, 'bob')
    expect(await deploy({ cluster })).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'failed' }] })
    await logIn(domain, 'bob')
    expect([await namesOf('users', domain), await namesOf('projects', domain)]).toEqual([['bob'], ['bob']])
  })

  it('fail with what Keystone answered, and one node is no target', async () => {
    const { id, cluster } = await newCluster('failing')
    await addUser(cluster, 'bob')
    const node = await server.addGateway(id)
    const answer = await server.post(deployments, { node: `/api/v1/nodes/${node}/` })
    expect([answer.status, answer.body.user_db_deployments.node]).toEqual([400, [expect.stringContaining('Keystone')]])
    await keystone.stop()
    const job = await deploy({ cluster })
    await keystone.start()
    const message = `Keystone at ${new URL(keystone.url).origin} does not answer (ECONNREFUSED).`
    expect([job.state, job.message]).toEqual(['COMPLETED_FAILED', message])
    expect(job.targets.map(({ state }: JobTarget) => state)).toEqual(['failed'])
    await deployed(cluster)
    expect((await server.post(`${deployments}${job.id}/cancel/`, {})).status).toBe(409)
  })
})
