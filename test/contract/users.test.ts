import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startApi } from '../support/api.js'
import type { TestApi } from '../support/api.js'
import { addCluster } from '../support/fleet-rows.js'

const password = 'correct-horse-battery-staple'

let api: TestApi
let cluster = ''
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())
beforeEach(async () => {
  cluster = `/api/v1/clusters/${await addCluster(api.database)}/`
})

const post = (body: unknown, headers = {}) => api.call('/api/v1/users/', { method: 'POST', body, headers })
const bob = (more: object = {}) => ({ cluster, user: 'bob', password, ...more })

describe('creating a user', () => {
  it('answers 201 with the whole record, its password and its Location', async () => {
    const { status, headers, body } = await post(bob())
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      resource_uri: `/api/v1/users/${body.id}/`,
      cluster,
      user: 'bob',
      is_superuser: false,
      enabled: true,
      password,
    })
    expect(headers['location']).toBe(body.resource_uri)
  })
})
