import { systemClock } from '@roost/runtime'
import { randomBytes } from 'node:crypto'
import { protocolVersion } from '@roost/api-types/agent'
import type { EnrollRequest } from '@roost/api-types/agent'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newIdentity } from '../support/agents/simulated-identity.js'
import type { NewIdentity } from '../support/agents/simulated-identity.js'
import { endOfSession, enrollAt } from './enroll.js'
import type { Answer } from './enroll.js'
import { testCaller } from '../support/agents/enrollment.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

let server: StreamServer
let nowMs = Date.now()
let monotonicMs = 0
// Both stand still: a thousand guesses are of one minute, however long they take.
const clock = { ...systemClock, now: () => nowMs, monotonic: () => monotonicMs }

beforeAll(async () => {
  server = await startStreamServer({ clock, trustedCas: () => ['OLD', 'NEW'] })
})
beforeEach(() => {
  nowMs = Date.now()
  monotonicMs += 120_000 // each test begins without failures of its own address
})
afterAll(() => server.close())

function enroll(token: string, more: Partial<EnrollRequest> = {}, identity?: NewIdentity): Promise<Answer> {
  return enrollAt(server.url, token, { clock: nowMs / 1000, ...more }, identity)
}

async function newToken(more: { readonly ttl_seconds?: number; readonly uses?: number } = {}): Promise<string> {
  return (await server.tokens.create({ cluster: server.clusterId, ...more }, testCaller)).token
}

const auditOf = (nodeId: unknown) =>
  server.database.prisma.auditEvent.findMany({ where: { resource: 'nodes', resourceId: Number(nodeId) } })

describe('an enrollment', () => {
  it('makes a node of the token’s cluster, tells the authorities to trust, and is audited', async () => {
    const identity = newIdentity()
    const { status, body } = await enroll(await newToken(), {}, identity)
    expect(status).toBe(200)
    expect(body).toMatchObject({ cluster: 'one', ca: ['OLD', 'NEW'] })
    expect(await server.stateOf(Number(body['node_id']))).toBe('pending')
    expect(await auditOf(body['node_id'])).toMatchObject([
      { action: 'enrol', changes: { hostname: [null, 'storage-1'] } },
    ])
    expect(await endOfSession(server.url, identity, body['node_uuid'])).toBeUndefined()
  })

  it('gives the same answer again to the same key with the same token, whose first answer was lost', async () => {
    const token = await newToken()
    const identity = newIdentity()
    const first = await enroll(token, {}, identity)
    const second = await enroll(token, {}, identity)
    expect(second.body).toEqual(first.body)
    expect((await enroll(token)).status).toBe(401)
  })

  it('lets in as many nodes as the token says, also when they come at once', async () => {
    const token = await newToken({ uses: 3 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => enroll(token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 401, 401])
  })

  it('with a wrong field says which, and counts as no failed guess', async () => {
    const { status, body } = await enroll(await newToken(), { public_key: 'short' })
    expect(status).toBe(400)
    expect(String(body['error'])).toContain('public_key')
  })

  it('of a newer agent says which control plane it needs, and leaves the token good', async () => {
    const token = await newToken()
    const { status, body } = await enroll(token, { protocol: protocolVersion + 1 })
    expect(status).toBe(400)
    expect(body['error']).toBe(
      `needs control plane ≥ protocol ${protocolVersion + 1}; this one speaks ${protocolVersion}`,
    )
    expect((await enroll(token)).status).toBe(200)
  })
})

describe('a token', () => {
  it('has 160 random bits, is good for an hour and kept as a digest alone', async () => {
    const created = await server.tokens.create({ cluster: server.clusterId }, testCaller)
    expect(created.token).toMatch(/^[0-9a-f]{40}$/)
    expect(Date.parse(created.expires) - nowMs).toBe(3_600_000)
    const rows = await server.database.prisma.enrollmentToken.findMany()
    expect(JSON.stringify(rows)).not.toContain(created.token)
    expect(created.lines).toEqual([
      `roost-agent enroll --server https://roost.example:8443 --token ${created.token} --ca-sha256 ${'ab'.repeat(32)}`,
      'roost-agent run',
    ])
    expect(created.install).toContain(`; echo 'enroll ${created.token}'; } | sh`)
    expect(created.warning).toBeNull()
  })

  it('says when its lines work on this machine alone', async () => {
    const here = await startStreamServer({ database: server.database, isLoopbackOnly: true })
    const { warning } = await here.tokens.create({ cluster: server.clusterId }, testCaller)
    expect(warning).toContain('https://roost.example:8443 can be reached only from this machine')
    await here.close()
  })

  it('that is unknown, used up, expired, or of a removed cluster gets one and the same 401', async () => {
    const used = await newToken()
    await enroll(used)
    const expired = await newToken({ ttl_seconds: 60 })
    const gone = await server.database.prisma.cluster.create({ data: { name: 'gone' } })
    const { token: orphan } = await server.tokens.create({ cluster: gone.id }, testCaller)
    await server.database.prisma.cluster.delete({ where: { id: gone.id } })
    nowMs += 61_000
    const answers = []
    for (const token of [used, expired, orphan, 'nonsense', ''])
      answers.push(await enroll(token, { clock: nowMs / 1000 }))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  it('is listed without its secret until it is used up, expired or revoked', async () => {
    const create = async (more: object = {}) =>
      (await server.tokens.create({ cluster: server.clusterId, ...more }, testCaller)).id
    const listed = async () => (await server.tokens.list()).map(({ id }) => id)
    const before = await listed()
    const [short, long, revoked] = [await create({ ttl_seconds: 60 }), await create({ uses: 5 }), await create()]
    expect(await listed()).toEqual([...before, short, long, revoked])
    const shown = (await server.tokens.list()).find(({ id }) => id === long)
    const expires = new Date(nowMs + 3_600_000).toISOString()
    expect(shown).toEqual({ id: long, cluster: expect.any(String), expires, uses_left: 5, roles: [] })
    await server.tokens.revoke(revoked, testCaller)
    nowMs += 61_000
    expect(await listed()).toEqual([...before, long])
  })

  it('that is revoked enrolls no other node, and cannot be revoked again', async () => {
    const { id, token } = await server.tokens.create({ cluster: server.clusterId, uses: 2 }, testCaller)
    expect((await enroll(token)).status).toBe(200)
    expect(await server.tokens.revoke(id, testCaller)).toMatchObject({ id, uses_left: 1 })
    expect((await enroll(token)).status).toBe(401)
    await expect(server.tokens.revoke(id, testCaller)).rejects.toMatchObject({ code: 'not_found' })
    const event = await server.database.prisma.auditEvent.findFirst({ orderBy: { id: 'desc' } })
    expect(event).toMatchObject({ action: 'revoke', resource: 'enrolment_tokens', resourceId: id })
  })

  it('that has expired does not come back to life when the clock is set back', async () => {
    const token = await newToken({ ttl_seconds: 3_600 })
    nowMs += 3_601_000
    await server.forgetExpiredTokens()
    nowMs -= 3_601_000
    expect((await enroll(token)).status).toBe(401)
  })

  it('cannot be guessed: after ten failures in a minute an address waits, with a good token too', async () => {
    const guess = () => enroll(randomBytes(20).toString('hex'))
    const statuses: number[] = []
    // In turns, or the kernel's queue of the listener overflows.
    for (let round = 0; round < 10; round++)
      statuses.push(...(await Promise.all(Array.from({ length: 100 }, guess))).map(({ status }) => status))
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(990)
    const good = await newToken()
    const refused = await enroll(good)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    monotonicMs += 60_000
    expect((await enroll(good)).status).toBe(200)
  })
})

describe('a clock', () => {
  it.each([0, 299, -299])('that is %i s off enrolls', async (skew) => {
    expect((await enroll(await newToken(), { clock: nowMs / 1000 + skew })).status).toBe(200)
  })

  it.each([
    [600, '600 s ahead of'],
    [-600, '600 s behind'],
    [86_400, '86400 s ahead of'],
    [-86_400, '86400 s behind'],
  ])('that is %i s off is refused with that number, and the token stays valid', async (skew, message) => {
    const token = await newToken()
    const { status, body } = await enroll(token, { clock: nowMs / 1000 + skew })
    expect(status).toBe(400)
    expect(body['error']).toContain(message)
    expect((await enroll(token)).status).toBe(200)
  })
})
