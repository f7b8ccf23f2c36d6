import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startInProcess } from '../support/http/control-plane.js'
import type { InProcessControlPlane } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { expectPromised } from '../support/clock/promised.js'

/** By the contract. */
const promisedMs = 5_000

const database = await useDatabase()
let roost: InProcessControlPlane
let admin: Client
beforeAll(async () => {
  roost = await startInProcess(database.url)
  admin = createClient({ url: roost.url, ca: roost.ca, apiKey: roost.key })
})
afterAll(async () => {
  await admin.close()
  await roost.stop()
})

let count = 0
async function newKey() {
  const { id: operator } = await admin.rpc.operators.create.mutate({ name: `streamer ${(count += 1)}` })
  return admin.rpc.apiKeys.create.mutate({ operator })
}

/** As another process does, which the control plane notices by the database alone. */
async function revokeInDatabase(id: number): Promise<void> {
  await database.prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date() } })
}

/** A subscription to node states, as bytes on a connection; `ended` settles when the server cuts it off. */
async function subscribe(credentials: string) {
  const { url, ca } = roost
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

describe('an open stream ends, in the promised time', () => {
  it.each([
    ['by the API', (id: number) => admin.rpc.apiKeys.revoke.mutate({ id })],
    ['in the database', (id: number) => revokeInDatabase(id)],
  ])('when its key is revoked %s, while those of other keys go on', async (how, revoke) => {
    const [key, other] = [await newKey(), await newKey()]
    const [stream, spared] = [await subscribe(key.credentials), await subscribe(other.credentials)]
    let isSpared = true
    void spared.ended.then(() => (isSpared = false))
    await revoke(key.id)
    expectPromised(`a stream after its key was revoked ${how}`, await stream.ended, promisedMs)
    expect(isSpared).toBe(true)
  })

  it('when its operator is disabled', async () => {
    const key = await newKey()
    const stream = await subscribe(key.credentials)
    await admin.rpc.operators.change.mutate({ id: key.operator, change: { enabled: false } })
    expectPromised('a stream after its operator was disabled', await stream.ended, promisedMs)
  })

  it('when its key expires', async () => {
    const key = await newKey()
    const stream = await subscribe(key.credentials)
    await admin.rpc.apiKeys.rotate.mutate({ id: key.id, rotation: { overlap_seconds: 1 } })
    expectPromised('a stream after its key had one second left', await stream.ended, 1_000 + promisedMs)
  })
})

it('a key that another process revokes opens nothing new, in the promised time', async () => {
  const key = await newKey()
  const dispatcher = new Agent({ connect: { ca: roost.ca } })
  const status = async () => {
    const headers = { authorization: `apikey ${key.credentials}` }
    const answer = await request(`${roost.url}/api/v1/clusters/`, { dispatcher, headers })
    await answer.body.dump()
    return answer.statusCode
  }
  expect(await status()).toBe(200)
  await revokeInDatabase(key.id)
  const since = performance.now()
  await expect.poll(status, { timeout: 10_000, interval: 100 }).toBe(401)
  expectPromised('a key that another process revoked', performance.now() - since, 2_000)
  await dispatcher.close()
})
