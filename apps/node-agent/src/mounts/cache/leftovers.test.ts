import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '@roost/runtime'
import { TestClock } from '@roost/testing'
import { createStorageClient } from '../health/storage-client.js'
import { Leftovers } from './leftovers.js'
import { RenamedFiles } from './files/renamed-files.js'

const patience = { timeout: 45_000, interval: 20 }

interface StoredObject {
  readonly md5: string
  readonly bytes: number
  readonly at: number
  readonly segmented?: true
}

let dir: string
let clock: TestClock
let renamed: RenamedFiles
let leftovers: Leftovers
/** What Swift has, by name; undefined: it does not answer. */
let objects: Map<string, StoredObject> | undefined
let dirty: Set<string>
let cached: Set<string>
/** Since when Swift answers, as the health check says. */
let answeringSince: number | undefined
let onRequest: () => void
let url: string

const server = createServer(({ url: path = '', method, headers }, response) => {
  onRequest()
  const name = decodeURIComponent(path.slice('/v1/AUTH_a/docs/'.length))
  const object = objects?.get(name)
  if (objects === undefined) return void response.writeHead(503).end()
  if (path === '/auth')
    return void response.writeHead(200, { 'X-Auth-Token': 'token', 'X-Storage-Url': `${url}/v1/AUTH_a` }).end()
  if (headers['x-auth-token'] !== 'token' || object === undefined) return void response.writeHead(404).end()
  if (method === 'DELETE') objects.delete(name)
  const { md5, bytes, at, segmented } = object
  const own = { etag: md5, 'content-length': bytes, 'x-timestamp': `${at}.00000` }
  return void response.writeHead(200, { ...own, ...(segmented ? { 'x-object-manifest': 'a/b' } : {}) }).end()
})

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-leftovers-'))
  clock = new TestClock(1_000_000)
  ;[objects, dirty, cached] = [new Map(), new Set(), new Set()]
  ;[answeringSince, onRequest] = [0, () => {}]
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await open()
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(dir, { recursive: true })
})

const record = () => join(dir, 'mounts/renamed-files.json')
async function open(): Promise<void> {
  renamed = await RenamedFiles.read(record())
  leftovers = new Leftovers({
    renamed,
    logins: () => ({ swift: { auth_url: `${url}/auth`, user: 'a:b', key: 'key' } }),
    client: createStorageClient(),
    answeringSince: () => answeringSince,
    isDirty: (_share, key) => dirty.has(key),
    isCached: async (_share, key) => cached.has(key),
    clock,
    log: createLog({ format: 'json', level: 'warn', write: () => {} }),
  })
}

const key = (name: string) => `swift/docs/${name}`
const file = (name: string, changedAtMs: number) => ({
  key: key(name),
  bytes: 3,
  changedAtMs,
  modifiedAtMs: changedAtMs,
  dirtySinceMs: changedAtMs,
  inode: 1,
})
/** A file that was dirty for so long got another name. */
function rename(from: string, to: string, dirtyMs = 6_000): void {
  renamed.appeared(7, file(to, clock.now()), file(from, clock.now() - dirtyMs))
  dirty.delete(key(from))
  dirty.add(key(to))
}
function upload(name: string, at: number, content: Partial<StoredObject> = {}): void {
  objects?.set(name, { md5: 'same', bytes: 3, at, ...content })
  dirty.delete(key(name))
}
async function found(): Promise<readonly string[]> {
  await leftovers.check()
  expect(leftovers.oldest(7)).toHaveLength(leftovers.count(7))
  return leftovers.oldest(7).map((one) => `${one.name} > ${one.renamed_to} ${one.size_bytes}`)
}

describe('leftovers of renames', () => {
  it('are objects under old names, with the content of the object that the file is now', async () => {
    upload('in/odd %"name" é', 1)
    rename('in/odd %"name" é', 'in/new')
    expect(await found()).toEqual([])
    upload('in/new', 8)
    expect(await found()).toEqual(['in/odd %"name" é > in/new 3'])
    expect(leftovers.oldest(7)[0]?.since).toBe(1_000)
    expect(leftovers.count(8)).toBe(0)
  })

  it('are found under each of several names, and after a restart of the agent', async () => {
    for (const name of ['one', 'two']) upload(name, 1)
    rename('one', 'two')
    rename('two', 'three')
    leftovers.save()
    await renamed.save()
    await open()
    upload('three', 9)
    expect((await found()).toSorted()).toEqual(['one > three 3', 'two > three 3'])
    await open()
    expect(leftovers.count(7)).toBe(0)
    await renamed.save()
  })

  it.each<[string, () => void]>([
    ['another content', () => upload('old', 1, { md5: 'other' })],
    ['another size', () => upload('old', 1, { bytes: 4 })],
    ['a later date', () => upload('old', 9)],
    ['segments', () => upload('old', 1, { segmented: true })],
    ['a file in the cache', () => (upload('old', 1), cached.add(key('old')))],
    ['no object any longer', () => {}],
  ])('are none with %s, and forgotten after two minutes', async (_what, prepare) => {
    rename('old', 'new')
    prepare()
    upload('new', 8)
    expect(await found()).toEqual([])
    expect(renamed.list()).toHaveLength(1)
    await clock.pass(121_000)
    expect(await found()).toEqual([])
    expect(renamed.list()).toEqual([])
  })

  it('are none where the file was renamed before an upload could begin, or its old name is written again', async () => {
    rename('early', 'new', 1_900)
    expect(renamed.list()).toEqual([])
    rename('old', 'new')
    renamed.appeared(7, file('old', clock.now()), undefined)
    expect(renamed.list()).toEqual([])
  })

  it('are removed only when that is asked for, each checked again', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      upload(name, 1)
      rename(name, `${name}.new`)
      upload(`${name}.new`, 8)
    }
    expect(await found()).toHaveLength(4)
    upload('b', 1, { md5: 'other' })
    cached.add(key('c'))
    expect(await leftovers.remove(7, ['a', 'b', 'c', 'x'])).toEqual({
      removed: ['a'],
      kept: expect.arrayContaining([
        { name: 'b', reason: "Its content differs from that of 'b.new', which is the new name of the file." },
        { name: 'c', reason: 'A client has opened the file since then. Remove the file in the share.' },
        { name: 'x', reason: 'No rename left this object behind.' },
      ]),
    })
    expect([...(objects?.keys() ?? [])].toSorted()).toEqual(['a.new', 'b', 'b.new', 'c', 'c.new', 'd', 'd.new'])
    expect(await found()).toEqual(['c > c.new 3', 'd > d.new 3'])
    expect((await leftovers.remove(7, null)).removed).toEqual(['d'])
  })

  it('are kept, and found later, while Swift does not answer', async () => {
    upload('old', 1)
    rename('old', 'new')
    upload('new', 8)
    const before = objects
    objects = undefined
    await clock.pass(600_000)
    expect(await found()).toEqual([])
    objects = before
    expect(await found()).toEqual(['old > new 3'])
    objects = undefined
    expect(await leftovers.remove(7, null)).toEqual({
      removed: [],
      kept: [{ name: 'old', reason: 'Swift does not answer.' }],
    })
  })

  it('are not asked about while the storage does not answer to its health check', async () => {
    let requests = 0
    for (let i = 0; i < 20; i++) {
      upload(`old ${i}`, 1)
      rename(`old ${i}`, `new ${i}`)
      upload(`new ${i}`, 8)
    }
    onRequest = () => void (requests += 1)
    answeringSince = undefined
    expect([await found(), requests]).toEqual([[], 0])
    answeringSince = 0
    // The login, and then at most the two requests of each of four files that are checked already.
    onRequest = () => {
      requests += 1
      if (requests > 1) answeringSince = undefined
    }
    expect((await found()).length).toBeLessThanOrEqual(4)
    expect(requests).toBeLessThanOrEqual(9)
    ;[answeringSince, onRequest] = [0, () => {}]
    expect(await found()).toHaveLength(20)
  })

  it('are no longer reported when a client has removed them', async () => {
    upload('old', 1)
    rename('old', 'new')
    upload('new', 8)
    expect(await found()).toHaveLength(1)
    objects?.delete('old')
    await clock.pass(300_000)
    expect(await found()).toEqual([])
    await vi.waitFor(async () => expect((await RenamedFiles.read(record())).list()).toEqual([]), patience)
  })

  it('are 2,000 at most, and a damaged record says what to do', async () => {
    for (let i = 0; i < 2_010; i++) rename(`old ${i}`, `new ${i}`)
    expect([renamed.list().length, renamed.list()[0]?.from]).toEqual([2_000, 'old 10'])
    await renamed.save()
    writeFileSync(record(), '[')
    await expect(RenamedFiles.read(record())).rejects.toThrow(/renamed-files\.json is damaged\. Remove it/)
  })
})
