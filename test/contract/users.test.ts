import { describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { statuses } from '../support/http/shared-api.js'
import { faults, list, password, usersApi } from './users-api.js'

const { server, at, bob, create } = usersApi()
const { post, remove } = server

describe('creating a user', () => {
  it('answers 201 with the whole record, its password and its Location', async () => {
    const { status, headers, body } = await post(list, bob())
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      resource_uri: `/api/v1/users/${body.id}/`,
      cluster: at.cluster,
      user: 'bob',
      is_superuser: false,
      enabled: true,
      password,
      s3_access_key: 'bob:bob',
    })
    expect(headers['location']).toBe(`${server.api.url}${body.resource_uri}`)
  })

  it('takes what is sent for is_superuser and enabled', async () => {
    expect(await create({ is_superuser: true, enabled: false })).toMatchObject({ is_superuser: true, enabled: false })
  })

  it.each([() => at.clusterId, () => `${server.api.url}${at.cluster}`, () => at.cluster.slice(0, -1)])(
    'takes an id, an absolute URL and a URI without its slash for the cluster',
    async (given) => {
      expect(await create({ cluster: given() })).toMatchObject({ cluster: at.cluster })
    },
  )

  it('ignores fields that it does not know, and never echoes them', async () => {
    const body = await create({ id: '7', resource_uri: 'x', colour: 'red' })
    expect(body).not.toHaveProperty('colour')
    expect(body.id).not.toBe('7')
  })

  it('names every faulty field at once', async () => {
    const answer = await post(list, { user: '-', password: 'x', enabled: 'yes' })
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({
      cluster: ['This field is required.'],
      user: [expect.stringContaining('begin with a letter or a digit')],
      password: ['Ensure this value has at least 20 characters.'],
      enabled: ['Enter true or false.'],
    })
  })

  it('refuses a cluster that there is not, in the words of the predecessor', async () => {
    const answer = await post(list, bob({ cluster: '/api/v1/clusters/999999/' }))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      error: "Could not find the provided clusters object via resource URI '/api/v1/clusters/999999/'.",
    })
  })

  it.each(['/api/v1/nodes/1/', 'x', 0, -1, 99_999_999_999, null, {}])(
    'refuses %j, which is no URI of a cluster',
    async (given) => {
      const answer = await post(list, bob({ cluster: given }))
      expect(answer.status).toBe(400)
      expect(faults(answer)).toHaveProperty('cluster')
    },
  )

  it.each([19, 20, 21])('with a password of %i characters works from 20 on', async (length) => {
    expect((await post(list, bob({ password: 'x'.repeat(length) }))).status).toBe(length < 20 ? 400 : 201)
  })

  it.each(['\0', '\n', ' ', '🦉', 'ä', '%(', '://', '$HOST'])(
    'refuses a password with %j in it and tells why, without repeating it',
    async (part) => {
      const secret = `CANARY-${'x'.repeat(20)}${part}`
      const answer = await post(list, bob({ password: secret }))
      expect(answer.status).toBe(400)
      expect(faults(answer)).toHaveProperty('password')
      expect(answer.text).not.toContain('CANARY')
    },
  )

  it('refuses a password longer than 1,024 characters, and one of a megabyte before reading it', async () => {
    expect((await post(list, bob({ password: 'x'.repeat(1025) }))).status).toBe(400)
    expect((await post(list, bob({ password: 'x'.repeat(1_048_576) }))).status).toBe(413)
  })
})

describe('the name of a user', () => {
  it('is unique in its cluster without regard to case', async () => {
    await create()
    const answer = await post(list, bob({ user: 'BOB' }))
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({ user: ["The cluster already has a user 'bob'; names are not case-sensitive."] })
  })

  it('may be taken again in another cluster', async () => {
    await create()
    const answer = await post(list, bob({ cluster: await addCluster(server.api.database) }))
    expect(answer.status).toBe(201)
  })

  it('is refused when its line in the configuration would equal another but for case', async () => {
    await create({ user: 'ab_boa' })
    const answer = await post(list, bob({ user: 'ab_boG' }))
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({ user: [expect.stringContaining("This name differs from 'ab_boa' only in case")] })
  })

  it('is free again once its user is removed, which restores access to the account', async () => {
    const first = await create()
    expect((await remove(first.resource_uri)).status).toBe(204)
    const again = await post(list, bob())
    expect(again.status).toBe(201)
    expect(again.body.id).not.toBe(first.id)
  })

  it('is given to one of two who ask for it at once', async () => {
    const answers = await Promise.all(['bob', 'Bob', 'BOB', 'bOb'].map((user) => post(list, bob({ user }))))
    expect(statuses(answers)).toEqual([201, 400, 400, 400])
  })
})

it('shows the access key of S3 of tempauth, whose secret key is the password', async () => {
  const user = (await server.post('/api/v1/users/', { cluster: 1, user: 'of-s3', password })).body
  const uri = `${user.resource_uri}s3_credentials/`
  expect((await server.get(uri)).body).toEqual({
    resource_uri: uri,
    user: user.resource_uri,
    access_keys: ['of-s3:of-s3'],
  })
  for (const refused of [await server.post(uri, {}), await server.remove(`${uri}of-s3:of-s3/`)])
    expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('its password')])
})

it('has no access key of S3 like a login to tempauth where an identity service has the users', async () => {
  await server.api.database.prisma.identityService.create({
    data: {
      clusterId: at.clusterId,
      authUrl: 'https://keystone.example:5000/v3',
      key: new Uint8Array(1),
      domain: 'roost',
      role: 'member',
      resellerRole: 'ResellerAdmin',
    },
  })
  const { status, body } = await post(list, bob())
  expect([status, body.password, body.s3_access_key]).toEqual([201, password, undefined])
})

it('takes at most 4,096 users in a cluster', async () => {
  await server.api.database.prisma.user.createMany({
    data: Array.from({ length: 4095 }, (_, n) => {
      const name = `user${n}`
      const keys = { name, nameKey: name, lineKey: `user_${name}_${name}` }
      return { clusterId: at.clusterId, ...keys, password: new Uint8Array(1), isSuperuser: false, enabled: true }
    }),
  })
  expect((await post(list, bob())).status).toBe(201)
  const answer = await post(list, bob({ user: 'carol' }))
  expect(answer.status).toBe(400)
  expect(faults(answer)).toEqual({ cluster: ['The cluster already has 4096 users, which is the maximum.'] })
})
