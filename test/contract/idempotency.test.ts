import { describe, expect, it } from 'vitest'
import { useApi } from '../support/http/shared-api.js'

const password = 'S3CR3T-correct-horse-battery'
const api = await useApi()

let last = 0
const input = (more: object = {}) => ({
  cluster: '/api/v1/clusters/1/',
  user: `user-${(last += 1)}`,
  password,
  ...more,
})
const post = (body: unknown, key: string | null, authorization = `apikey ${api.key}`) =>
  api.call('/api/v1/users/', { method: 'POST', body, headers: { 'idempotency-key': key, authorization } })
const users = async () => (await api.get('/api/v1/users/')).body.meta.total_count

describe('a POST with an Idempotency-Key', () => {
  it('that comes again with the same body gets the first answer, password and Location with it', async () => {
    const body = input()
    const first = await post(body, 'same')
    const before = await users()
    const second = await post(body, 'same')
    expect(first.status).toBe(201)
    expect(second.status).toBe(201)
    expect(second.body).toEqual(first.body)
    expect(second.body.password).toBe(password)
    expect(second.headers['location']).toBe(first.headers['location'])
    expect(await users()).toBe(before)
  })

  it('that comes again with another body is 422', async () => {
    await post(input(), 'other')
    const answer = await post(input(), 'other')
    expect([answer.status, answer.body]).toEqual([422, { error: expect.stringContaining('Idempotency-Key') }])
  })

  it('that was refused may be repeated with a better body', async () => {
    const body = input()
    expect((await post({ ...body, password: 'short' }, 'better')).status).toBe(400)
    expect((await post(body, 'better')).status).toBe(201)
  })

  it('that runs many times at once is done once; the others get the answer, or 409 while it runs', async () => {
    const body = input()
    const before = await users()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(body, 'at-once')))
    for (const { status } of answers) expect([201, 409]).toContain(status)
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(await users()).toBe(before + 1)
    expect((await post(body, 'at-once')).body).toEqual(made[0]?.body)
  })

  it('is that operator’s alone', async () => {
    const other = await api.addOperator()
    await post(input(), 'scoped')
    expect((await post(input(), 'scoped', `apikey ${other}`)).status).toBe(201)
  })

  it('is of its path alone, with or without the slash at its end', async () => {
    const body = input()
    const headers = { 'idempotency-key': 'of-a-path' }
    const first = await post(body, 'of-a-path')
    const bare = await api.call('/api/v1/users', { method: 'POST', body, headers })
    expect([bare.status, bare.body]).toEqual([201, first.body])
    const elsewhere = { cluster: '/api/v1/clusters/1/' }
    expect((await api.call('/api/v1/user_db_deployments/', { method: 'POST', body: elsewhere, headers })).status).toBe(
      201,
    )
  })

  it('is forgotten after 24 hours', async () => {
    await post(input(), 'old')
    const { prisma } = api.database
    await prisma.idempotencyKey.updateMany({
      where: { key: 'old' },
      data: { createdAt: new Date(Date.now() - 24 * 3_600_000 - 1) },
    })
    expect((await post(input(), 'old')).status).toBe(201)
  })

  it('must have a key of 1 to 255 printable characters', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256)]) expect((await post(input(), key)).status).toBe(400)
  })

  it('keeps no password, and nothing that a password could be guessed against', async () => {
    const body = input()
    await post(body, 'secret')
    const row = await api.database.prisma.idempotencyKey.findFirstOrThrow({ where: { key: 'secret' } })
    expect(JSON.stringify(row.response)).not.toContain(password)
    expect(row.response).not.toHaveProperty('password')
    const { createHash } = await import('node:crypto')
    const plain = createHash('sha256').update(JSON.stringify(body)).digest()
    expect(Buffer.from(row.bodyMac).equals(plain)).toBe(false)
  })
})
