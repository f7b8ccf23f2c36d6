import { createHash } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import { createAuthentication } from '@roost/control-plane/dist/operators/authentication.js'
import type { Authentication } from '@roost/control-plane/dist/operators/authentication.js'
import { createAuthenticationStore } from '@roost/control-plane/dist/operators/authentication-store.js'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'

let database: TestDatabase
let authentication: Authentication
let now: number
let lookups: { readonly begun: number; readonly ended: number }
/** What every answer of the database waits for before it arrives. */
let way: Promise<void>
let keyId: number

beforeAll(async () => {
  database = await createTestDatabase()
  const digest = new Uint8Array(createHash('sha256').update('secret').digest())
  const operator = await database.prisma.operator.create({
    data: { name: 'alice', role: 'admin', keys: { create: { digest } } },
    include: { keys: true },
  })
  keyId = operator.keys[0]?.id ?? 0
})
afterAll(() => database.drop())

beforeEach(async () => {
  await revoke(null)
  now = 1_000_000
  way = Promise.resolve()
  const counts = (lookups = { begun: 0, ended: 0 })
  const store = createAuthenticationStore(database)
  authentication = createAuthentication({
    store: {
      ...store,
      async findKey(digest) {
        counts.begun++
        const found = await store.findKey(digest)
        await way
        counts.ended++
        return found
      },
    },
    log: { warn: () => {} },
    now: () => now,
  })
})

const revoke = (revokedAt: Date | null) => database.prisma.apiKey.update({ where: { id: keyId }, data: { revokedAt } })
const isLetIn = async () => (await authentication.authenticate('alice', 'secret')) !== undefined

async function settled(): Promise<void> {
  await expect.poll(() => lookups.ended === lookups.begun).toBe(true)
  await nextTick() // the result is applied at the next tick, not before
}

/** From now on the database answers nothing until the returned function is called. */
function block(): () => void {
  let release = () => {}
  way = new Promise((resolve) => (release = resolve))
  return release
}

it('who asks all the time never waits for the database after the first time', async () => {
  expect(await isLetIn()).toBe(true)
  for (let i = 0; i < 5; i++) {
    now += 1_500
    const release = block()
    expect(await isLetIn()).toBe(true)
    expect(await isLetIn()).toBe(true)
    release()
    await settled()
  }
  expect(lookups).toEqual({ begun: 6, ended: 6 })
})

it('who asks after two seconds is let in by the database alone', async () => {
  expect(await isLetIn()).toBe(true)
  await revoke(new Date())
  now += 2_000
  expect(await isLetIn()).toBe(false)
})

it('a key that was revoked elsewhere ends with the look beside a request', async () => {
  expect(await isLetIn()).toBe(true)
  await revoke(new Date())
  now += 1_500
  expect(await isLetIn()).toBe(true)
  await settled()
  expect(await isLetIn()).toBe(false)
})

it('a look beside a request that is overtaken by a revocation here changes nothing', async () => {
  expect(await isLetIn()).toBe(true)
  now += 1_500
  const release = block()
  expect(await isLetIn()).toBe(true)
  await revoke(new Date())
  authentication.forget()
  release()
  await settled()
  expect(await isLetIn()).toBe(false)
})
