import { expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { runOldClient } from '../support/http/old-client.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const password = 'correct-horse-battery-staple'

it('creates, reads, changes, pages and removes users with a client of the predecessor', async () => {
  const { api } = server
  const cluster = `/api/v1/clusters/${await addCluster(api.database)}/`
  const names = Array.from({ length: 45 }, (_, n) => `user${n}`)
  const made = await runOldClient(
    api,
    names.map((user) => ({ resource: 'users', verb: 'create', data: { cluster, user, password } })),
  )
  expect(made.map(({ user }) => user)).toEqual(names)
  const [first, second] = made
  const [walked, read, changed, removed, left] = await runOldClient(api, [
    { resource: 'users', verb: 'walk', data: { cluster, limit: 10 } },
    { resource: 'users', verb: 'get', id: first.id },
    { resource: 'users', verb: 'update', id: first.id, data: { ...first, enabled: false } },
    { resource: 'users', verb: 'delete', id: second.id },
    { resource: 'users', verb: 'walk', data: { cluster } },
  ])
  expect(walked.map(({ user }: { user: string }) => user)).toEqual(names)
  expect(read).not.toHaveProperty('password')
  expect(changed).toEqual({ ...first, enabled: false })
  expect(removed).toBe('')
  expect(left).toHaveLength(44)
})

it('creates, reads, changes, pages and removes shares with a client of the predecessor', async () => {
  const { api, addGateway } = server
  const node = `/api/v1/nodes/${await addGateway(await addCluster(api.database))}/`
  const made = await runOldClient(
    api,
    Array.from({ length: 25 }, (_, n) => ({
      resource: 'gateway_shares',
      verb: 'create',
      data: { name: `share${n}`, node, objectstore_container: 'c', protocol: n % 2 === 0 ? 'nfs' : 'cifs' },
    })),
  )
  const [first, second] = made
  const [nfs, all, changed, removed] = await runOldClient(api, [
    { resource: 'gateway_shares', verb: 'walk', data: { node, protocol: 'nfs', limit: 5 } },
    { resource: 'gateway_shares', verb: 'walk', data: { node } },
    { resource: 'gateway_shares', verb: 'update', id: second.id, data: { ...second, cifs_guest_ok: false } },
    { resource: 'gateway_shares', verb: 'delete', id: first.id },
  ])
  expect(nfs).toHaveLength(13)
  expect(all).toEqual(made)
  expect(changed).toEqual({ ...second, cifs_guest_ok: false })
  expect(removed).toBe('')
  expect((await server.get(first.resource_uri)).status).toBe(404)
})
