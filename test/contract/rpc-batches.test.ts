import { createClient } from '@roost/api-types'
import { maxBatchSize } from '@roost/api-types/rpc'
import { systemClock } from '@roost/runtime'
import { expect, it, onTestFinished, vi } from 'vitest'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()

/** A request with this many calls of `clusters.list`. */
const batch = (calls: number, separator = ',') =>
  `/trpc/${Array.from({ length: calls }, () => 'clusters.list').join(separator)}?batch=1&input=%7B%7D`

/** Keeps the window of the rate open until the end of the test. */
function standStill(): void {
  const time = vi.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic())
  onTestFinished(() => time.mockRestore())
}

it('every call of a batch counts for the rate of the key, however its separators are encoded', async () => {
  for (const separator of [',', '%2C', '%252c']) {
    const authorization = `apikey ${await server.api.addOperator()}`
    standStill()
    for (let calls = 0; calls < 200; calls += maxBatchSize) {
      const answer = await server.api.get(batch(maxBatchSize, separator), { authorization })
      expect([answer.status, answer.body.length]).toEqual([200, maxBatchSize])
    }
    const refused = await server.api.get(batch(1), { authorization })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    vi.restoreAllMocks()
  }
})

it('a batch that does not fit into what is left of the second is refused as one', async () => {
  const authorization = `apikey ${await server.api.addOperator()}`
  standStill()
  for (let calls = 0; calls < 190; calls += 10)
    expect((await server.api.get(batch(10), { authorization })).status).toBe(200)
  expect((await server.api.get(batch(11), { authorization })).status).toBe(429)
  expect((await server.api.get(batch(10), { authorization })).status).toBe(200)
})

it('a batch that is too large runs none of its calls', async () => {
  const answer = await server.api.get(batch(maxBatchSize + 1))
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('Batch call exceeds maximum size')
})

it('the typed client splits larger batches', async () => {
  const { url, ca, key } = server.api
  const client = createClient({ url, ca, apiKey: key })
  onTestFinished(() => client.close())
  const asked = Array.from({ length: 2 * maxBatchSize + 5 }, () => client.rpc.clusters.list.query())
  expect(new Set((await Promise.all(asked)).map(({ total }) => total)).size).toBe(1)
})
