import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InventoryProblem } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestClock } from '@roost/testing'
import { createMissingContainers } from './missing-containers.js'
import { createStorageCheck } from './storage-check.js'
import { createStorageClient } from './storage-client.js'
import { type StorageHealth, startStorageHealth } from './storage-health.js'

let answer: { readonly account: number | 'none' }
let url: string
const server = createServer(({ url: path, headers }, response) => {
  if (path === '/auth/v1.0' && headers['x-auth-key'] !== 'right') response.writeHead(401).end('no')
  else if (path === '/auth/v1.0')
    response.writeHead(200, { 'X-Auth-Token': 'token', 'X-Storage-Url': `${url}/v1/AUTH_a` }).end()
  else if (path?.endsWith('/not%20there') && answer.account !== 'none') response.writeHead(404).end()
  else if (answer.account !== 'none')
    response.writeHead(headers['x-auth-token'] === 'token' ? answer.account : 401).end()
})
beforeEach(async () => {
  answer = { account: 204 }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
const login = (key = 'right') => ({ auth_url: `${url}/auth/v1.0`, user: 'a:b', key })

describe('a check of Swift', () => {
  it('succeeds when the account answers to the login', async () => {
    expect(await createStorageCheck(createStorageClient())(login())).toBeUndefined()
  })

  it('says what is answered instead, and never the key', async () => {
    expect(await createStorageCheck(createStorageClient())(login('S3CR3T'))).toBe(
      `${url}/auth/v1.0 answered the login of a:b with 401`,
    )
    answer = { account: 503 }
    expect(await createStorageCheck(createStorageClient())(login())).toBe(`${url}/v1/AUTH_a answered with 503`)
  })

  it('does not wait for a server that is silent or not there', async () => {
    answer = { account: 'none' }
    expect(await createStorageCheck(createStorageClient(200))(login())).toBe('no answer in time')
    expect(
      await createStorageCheck(createStorageClient())({ ...login(), auth_url: 'http://127.0.0.1:1/auth' }),
    ).toMatch(/ECONNREFUSED/)
  })
})

describe('containers', () => {
  it('that do not exist are found, unless Swift does not answer', async () => {
    const find = createMissingContainers(createStorageClient(200))
    expect(await find(login(), ['there', 'not there', 'not there'])).toEqual(new Set(['not there']))
    answer = { account: 'none' }
    expect(await find(login(), ['not there'])).toEqual(new Set())
  })
})

describe('the health of the storage', () => {
  it('is a problem after two failed checks, and knows since when Swift answers again', async () => {
    const clock = new TestClock()
    let reason: string | undefined
    let problems: readonly InventoryProblem[] = []
    const health: StorageHealth = startStorageHealth({
      check: async () => reason,
      logins: () => ({ swift: login() }),
      onProblems: (found) => (problems = found),
      onError: () => {},
      clock,
    })
    const next = () => clock.pass(10_000)
    await next()
    const since = health.answeringSince('swift')
    await next()
    expect([health.answeringSince('swift'), health.answeringSince('other'), problems]).toEqual([since, undefined, []])
    reason = 'no answer in time'
    await next()
    expect([health.answeringSince('swift'), problems]).toEqual([undefined, []])
    await next()
    expect(problems).toMatchObject([{ code: 'storage_unreachable', subject: `${url}/auth/v1.0` }])
    expect(JSON.stringify(problems)).not.toContain('right')
    reason = undefined
    await next()
    expect([health.answeringSince('swift'), problems]).toEqual([(since ?? 0) + 50_000, []])
    await health.stop()
  })
})
