import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startInProcess } from '../support/http/control-plane.js'
import type { InProcessControlPlane } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'

/** Five seconds by the contract, and what the machine of a test may add. */
const withinMs = waitTimeoutMs

let database: TestDatabase
let first: InProcessControlPlane
let second: InProcessControlPlane
let admin: Client
beforeAll(async () => {
  database = await createTestDatabase()
  first = await startInProcess(database.url)
  second = await startInProcess(database.url)
  admin = createClient({ url: first.url, ca: first.ca, apiKey: first.key })
})
afterAll(async () => {
  await admin.close()
  await second.stop()
  await first.stop()
  await database.drop()
})

let count = 0
async function newKey() {
  const { id: operator } = await admin.rpc.operators.create.mutate({ name: `streamer ${(count += 1)}` })
  return admin.rpc.apiKeys.create.mutate({ operator })
}

/** A subscription to node states, as bytes on a connection; `ended` settles when the server cuts it off. */
async function subscribe({ url, ca }: InProcessControlPlane, credentials: string) {
  const dispatcher = new Agent({ connect: { ca } })
  const headers = { authorization: `apikey ${credentials}`, accept: 'text/event-stream' }
  const answer = await request(`${url}/trpc/nodes.states`, { dispatcher, headers })
  expect(answer.statusCode).toBe(200)
  const reader = answer.body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let text = ''
  while (!text.includes('data: [')) {
    const { done, value } = await reader.next()
    if (done === true) throw new Error(`The stream ended after: ${text}`)
    text += String(value)
  }
  const ended = (async () => {
    const since = performance.now()
    for (;;) {
      const { done } = await reader.next().catch(() => ({ done: true }))
      if (done === true) return performance.now() - since
    }
  })()
  onTestFinished(() => dispatcher.destroy())
  return { ended }
}

describe('an open stream ends within five seconds', () => {
  it.each([
    ['here', () => first],
    ['on another replica', () => second],
  ])('%s when its key is revoked, while those of other keys go on', async (_where, replica) => {
    const [key, other] = [await newKey(), await newKey()]
    const [stream, spared] = [
      await subscribe(replica(), key.credentials),
      await subscribe(replica(), other.credentials),
    ]
    let isSpared = true
    void spared.ended.then(() => (isSpared = false))
    await admin.rpc.apiKeys.revoke.mutate({ id: key.id })
    expect(await stream.ended).toBeLessThan(withinMs)
    expect(isSpared).toBe(true)
  })

  it('when its operator is disabled', async () => {
    const key = await newKey()
    const stream = await subscribe(second, key.credentials)
    await admin.rpc.operators.change.mutate({ id: key.operator, change: { enabled: false } })
    expect(await stream.ended).toBeLessThan(withinMs)
  })

  it('when its key expires', async () => {
    const key = await newKey()
    const stream = await subscribe(second, key.credentials)
    await admin.rpc.apiKeys.rotate.mutate({ id: key.id, rotation: { overlap_seconds: 1 } })
    expect(await stream.ended).toBeLessThan(1_000 + withinMs)
  })
})

it('a key that is revoked elsewhere opens nothing new after two seconds', async () => {
  const key = await newKey()
  const dispatcher = new Agent({ connect: { ca: second.ca } })
  const status = async () => {
    const headers = { authorization: `apikey ${key.credentials}` }
    const answer = await request(`${second.url}/api/v1/clusters/`, { dispatcher, headers })
    await answer.body.dump()
    return answer.statusCode
  }
  expect(await status()).toBe(200)
  await admin.rpc.apiKeys.revoke.mutate({ id: key.id })
  await expect.poll(status, { timeout: withinMs, interval: 500 }).toBe(401)
  await dispatcher.close()
})
