import { describe, expect, it } from 'vitest'
import { addNode } from '../support/agents/fleet-rows.js'
import { shareList, useGateway } from '../support/gateway/share-requests.js'
import { shareApi, statuses } from '../support/http/shared-api.js'
import { cifsDefaults, commonDefaults, nfsDefaults } from '../support/gateway/share-defaults.js'
import { testCaller } from '../support/agents/enrollment.js'

const server = shareApi()
const { addGateway, patch, post } = server

const gateway = useGateway(server)
const { share, cifs, create, faults } = gateway

describe('creating a share', () => {
  it('answers 201 with an NFS share and its defaults when no more is said', async () => {
    const { status, headers, body } = await post(shareList, share())
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      resource_uri: `${shareList}${body.id}/`,
      name: 'docs',
      node: gateway.node,
      objectstore_container: 'documents',
      ...commonDefaults,
      protocol: 'nfs',
      ...nfsDefaults,
    })
    expect(headers['location']).toBe(`${server.api.url}${body.resource_uri}`)
  })

  it('answers a CIFS share with its own defaults', async () => {
    const body = await create(cifs())
    const identity = { id: body.id, resource_uri: body.resource_uri, name: 'docs', node: gateway.node }
    expect(body).toEqual({
      ...identity,
      objectstore_container: 'documents',
      ...commonDefaults,
      protocol: 'cifs',
      ...cifsDefaults,
    })
  })

  it('takes every setting of its protocol', async () => {
    const sent = {
      access_mode: 'ro',
      enabled: true,
      upload_delay: 86_400,
      write_retain: false,
      no_apple_doubles: false,
      clients_allowed_list: '10.0.0.0/8, .lab.example @trusted',
      cache_size_mb: 16,
    }
    const nfs = { root_squash: true, secure: true }
    expect(await create(share({ ...sent, ...nfs }))).toMatchObject({ ...sent, ...nfs })
    const smb = {
      cifs_browseable: false,
      cifs_create_mask: '0600',
      cifs_directory_mask: '700',
      cifs_guest_ok: false,
      cifs_valid_users: 'alice, DOM\\bob',
      cifs_valid_groups: 'staff',
    }
    expect(await create(cifs({ ...sent, ...smb }))).toMatchObject({ ...sent, ...smb })
  })

  it('ignores the settings of the other protocol, without validating them', async () => {
    const nfs = await post(shareList, share({ cifs_create_mask: 9, cifs_guest_ok: 'no', password: 7 }))
    expect(nfs.status).toBe(201)
    expect(Object.keys(nfs.body).filter((field) => field.startsWith('cifs_') || field === 'password')).toEqual([])
    const smb = await post(shareList, cifs({ root_squash: 'maybe', secure: [] }))
    expect(smb.status).toBe(201)
    expect(smb.body).not.toHaveProperty('root_squash')
  })

  it('refuses a list of separators alone, which would open the share', async () => {
    const answer = await post(shareList, share({ clients_allowed_list: ' ,' }))
    expect([answer.status, faults(answer)]).toEqual([
      400,
      { clients_allowed_list: [expect.stringContaining('separators')] },
    ])
    const { resource_uri: uri } = await create(share({ name: 'closed', clients_allowed_list: '10.0.0.1' }))
    expect((await patch(uri, { clients_allowed_list: ', ' })).status).toBe(400)
    expect((await patch(uri, { clients_allowed_list: '' })).body.clients_allowed_list).toBe('')
  })

  it('ignores fields that it does not know, and never echoes them', async () => {
    const body = await create(share({ id: 777_777, resource_uri: 'x', colour: 'red', cluster: 'x' }))
    for (const field of ['colour', 'cluster']) expect(body).not.toHaveProperty(field)
    expect(body.id).not.toBe(777_777)
  })

  it('names every faulty field at once', async () => {
    const answer = await post(shareList, {
      protocol: 'cifs',
      name: 'global',
      upload_delay: -1,
      cifs_create_mask: '0o664',
    })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.gateway_shares).toSorted()).toEqual([
      'cifs_create_mask',
      'name',
      'node',
      'objectstore_container',
      'upload_delay',
    ])
    expect(answer.body.gateway_shares.objectstore_container).toEqual(['This field is required.'])
  })

  it.each(['afp', '', null, 3])('refuses the protocol %j', async (protocol) => {
    const answer = await post(shareList, share({ protocol }))
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({ protocol: ['Select nfs or cifs.'] })
  })

  it.each([
    ['name', ['[s]', 'a ', '%U', 'a\nb', 'a\u2028b', 'a;b', 'a#b', 'Global', 'x'.repeat(65), 'include = /etc/passwd']],
    ['objectstore_container', ['../../etc', '/etc', '..', '%2e%2e', 'a\0', 'x'.repeat(300), '\u2024\u2024', '']],
    [
      'clients_allowed_list',
      ['*', '10.0.0.1(rw)', '"a"', 'a\nb', 'a#b', '::1', '-rw', '300.1.1.1', 'EXCEPT', '@a b/c'],
    ],
    ['upload_delay', [-1, 86_401, 1.5, '5', null]],
    ['cache_size_mb', [15, 0, -1, 16.5, '300', true, 2 ** 31]],
    ['access_mode', ['w', 'RO', null]],
    ['enabled', ['true', 1, null]],
  ])('refuses a %s that could mean anything else', async (field, values) => {
    for (const value of values) {
      const answer = await post(shareList, share({ [field]: value }))
      expect([value, answer.status]).toEqual([value, 400])
      expect(faults(answer)).toHaveProperty(field)
    }
  })

  it.each([
    ['cifs_create_mask', ['9999', '0o664', '66', '07777', 664]],
    ['cifs_valid_users', ['alice\\', '@staff', '%U', 'a\nb', 'x'.repeat(65)]],
    ['cifs_valid_groups', ['+staff', 'a;b']],
  ])('refuses a %s that could mean anything else', async (field, values) => {
    for (const value of values) {
      const answer = await post(shareList, cifs({ [field]: value }))
      expect([value, answer.status]).toEqual([value, 400])
      expect(faults(answer)).toHaveProperty(field)
    }
  })
})

describe('the node of a share', () => {
  it('must be a gateway', async () => {
    const plain = await addNode(server.api.database, gateway.clusterId)
    const answer = await post(shareList, share({ node: plain }))
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({ node: ['This node is not a gateway: set runs_gateway in its node_role first.'] })
  })

  it('must be there', async () => {
    const answer = await post(shareList, share({ node: '/api/v1/nodes/999999/' }))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      error: "Could not find the provided nodes object via resource URI '/api/v1/nodes/999999/'.",
    })
    expect((await post(shareList, share({ node: '/api/v1/clusters/1/' }))).status).toBe(400)
  })

  it('may be given as an id or an absolute URL of this server', async () => {
    expect(await create(share({ node: gateway.nodeId }))).toMatchObject({ node: gateway.node })
    expect(await create(share({ node: `${server.api.url}${gateway.node}`, name: 'b' }))).toMatchObject({
      node: gateway.node,
    })
  })

  it('is not removed while it has shares', async () => {
    await create()
    await expect(server.api.context.services.nodes.remove(gateway.nodeId, testCaller)).rejects.toMatchObject({
      code: 'conflict',
    })
  })
})

describe('the name of a share', () => {
  it('is unique on its node and protocol', async () => {
    await create()
    const again = await post(shareList, share())
    expect(again.status).toBe(400)
    expect(faults(again)).toEqual({ name: ['The node already has a share of protocol nfs with this name.'] })
    expect((await post(shareList, cifs())).status).toBe(201)
    expect((await post(shareList, share({ node: await addGateway(gateway.clusterId) }))).status).toBe(201)
  })

  it('is compared without case for CIFS, and with it for NFS', async () => {
    expect((await post(shareList, share())).status).toBe(201)
    expect((await post(shareList, share({ name: 'Docs' }))).status).toBe(201)
    expect((await post(shareList, cifs())).status).toBe(201)
    expect((await post(shareList, cifs({ name: 'DOCS' }))).status).toBe(400)
  })

  it('is given to one of several who ask for it at once', async () => {
    const answers = await Promise.all(['a', 'A', 'a', 'A'].map((name) => post(shareList, cifs({ name }))))
    expect(statuses(answers)).toEqual([201, 400, 400, 400])
  })

  it('may change in case alone', async () => {
    const { resource_uri: uri } = await create(cifs())
    expect((await patch(uri, { name: 'DOCS' })).body.name).toBe('DOCS')
  })

  it('is refused in a change when it is taken', async () => {
    await create(cifs())
    const { resource_uri: uri } = await create(cifs({ name: 'other' }))
    const answer = await patch(uri, { name: 'Docs' })
    expect(answer.status).toBe(400)
    expect(faults(answer)).toHaveProperty('name')
  })
})
