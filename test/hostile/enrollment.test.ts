import { protocolVersion } from '@roost/api-types/agent'
import { systemClock } from '@roost/runtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCaller } from '../support/agents/enrollment.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import { hostileValues, partsOf, sampleOf, textWith } from '../support/hostile/hostile-values.js'
import { enrollmentSchemas } from '../support/hostile/protocol-schemas.js'
import { enrollAt } from '../stream/enroll.js'
import { startStreamServer } from '../stream/stream-server.js'
import type { StreamServer } from '../stream/stream-server.js'

let server: StreamServer
let monotonicMs = 0

beforeAll(async () => {
  server = await startStreamServer({ clock: { ...systemClock, monotonic: () => monotonicMs } })
})
afterAll(() => server.close())

const [request] = enrollmentSchemas
if (request === undefined) throw new Error('The protocol has no enrollment.')
const newToken = async () => (await server.tokens.create({ cluster: server.clusterId }, testCaller)).token

/** Valid as it is: each value then reaches the features behind the checks. */
const sample = (token: string) =>
  sampleOf(request.schema, {
    token,
    public_key: Buffer.from(newIdentity().publicKey).toString('base64'),
    clock: Date.now() / 1000,
    protocol: protocolVersion,
    place: 'new',
  })

async function send(text: string) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/agent/v1/enroll`, { method: 'POST', headers, body: text })
  return { status: answer.status, body: (await answer.json()) as { readonly error?: unknown } }
}

describe('an enrollment', () => {
  it.each(partsOf(sample('token')).map((path) => [path.join('.') || 'the body', path] as const))(
    'with any value in %s is refused with a reason, or is that of a node',
    async (_name, path) => {
      for (const value of hostileValues) {
        // The failures of an address are counted by the minute.
        monotonicMs += 120_000
        const { status, body } = await send(textWith(sample(await newToken()), path, value))
        expect([200, 400, 401, 409, 413]).toContain(status)
        const reason = status === 200 ? 'it has a node' : body.error
        expect(reason).toEqual(expect.stringMatching(/^[^\p{Cc}]{10,1000}$/u))
      }
      const { status, body } = await enrollAt(server.url, await newToken(), { place: 'new' })
      expect([status, body['cluster']]).toEqual([200, 'one'])
    },
  )
})
