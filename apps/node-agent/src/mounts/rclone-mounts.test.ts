import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DesiredShare } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '@roost/runtime'
import { createNodeProblems } from '../machine/problems.js'
import { ampleCache } from './testing/ample-cache.js'
import { mountRecordFile } from './desired/mount-record.js'
import { MountStore } from './desired/mount-store.js'
import { isSame } from './desired/mount-spec.js'
import type { MountSpec } from './desired/mount-spec.js'
import type { GatewayState } from './desired/mounts.js'
import { RcloneMounts } from './rclone-mounts.js'
import { scriptedMounts } from './testing/scripted-mounts.js'

let dir: string
/** What is mounted, by share. */
let up: Map<number, MountSpec>
let drained: string[]
/** Containers that cannot be mounted or uploaded to. */
let away: Set<string>
let notified: string[]
let restored: number[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-mounts-'))
  up = new Map()
  drained = []
  away = new Set()
  ;[notified, restored] = [[], []]
})
afterEach(() => rmSync(dir, { recursive: true }))

const shareMounts = scriptedMounts({
  async isUp(spec) {
    const there = up.get(spec.share)
    return there !== undefined && isSame(there, spec)
  },
  async up(spec) {
    if (away.has(spec.container)) throw new Error(`/srv/${spec.share} could not be mounted: Swift is away.`)
    up.set(spec.share, spec)
  },
  async down(share) {
    up.delete(share)
  },
  async drain(spec) {
    if (away.has(spec.container)) return false
    drained.push(spec.container)
    return true
  },
})

/** Waiting takes no time. */
function quickClock(): Clock {
  let nowMs = 0
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(delayMs, callback) {
      const timer = setImmediate(() => {
        nowMs += delayMs
        callback()
      })
      return () => clearImmediate(timer)
    },
  }
}

async function open(checkLogin: () => Promise<void> = async () => {}): Promise<RcloneMounts> {
  const say = (message: string) => void notified.push(message)
  const recordFile = mountRecordFile(join(dir, 'mounts.json'))
  const store = await MountStore.read({ configFile: join(dir, 'rclone.conf'), recordFile })
  const mounts = new RcloneMounts({
    store,
    ...ampleCache(store),
    shareMounts,
    requireProgram: async () => {},
    checkLogin,
    clientFiles: async () => new Map(),
    problems: createNodeProblems(),
    readNames: async () => ({}),
    findMissingContainers: async () => new Set(),
    onRestored: (share) => void restored.push(share),
    clock: quickClock(),
    log: { debug: say, info: say, warn: say, error: say },
  })
  mounts.servedBy({
    release: async (ids) => void notified.push(`release ${ids.join()}`),
    restore: async (ids) => void notified.push(`restore ${ids.join()}`),
  })
  return mounts
}

function state(...shares: readonly (readonly [id: number, container: string])[]): GatewayState {
  const settings = {
    name: 's',
    access_mode: 'rw',
    upload_delay: 9,
    write_retain: true,
    cache_size_mb: null,
    no_apple_doubles: true,
  } as const
  const nfs = { clients_allowed_list: '', protocol: 'nfs', root_squash: false, secure: false } as const
  const all = shares.map(([id, objectstore_container]): DesiredShare => ({
    ...settings,
    ...nfs,
    id,
    objectstore_container,
    export_number: id,
  }))
  return { kind: 'gateway', shares: all, storage: { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'S3CR3T' } }
}
const nothing = { missing: [], notes: [] }
const standing = () => [...up].map(([id, { container }]) => `${id} ${container}`).toSorted()

describe('mounts of a gateway', () => {
  it('begin with a deployment and stand when it is settled, after a restart of the agent too', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a'], [2, 'b']))
    expect(standing()).toEqual(['1 a', '2 b'])
    expect(await mounts.settle()).toEqual(nothing)
    const again = await open()
    expect(await again.plan(state([1, 'a'], [2, 'b']))).toMatchObject({ started: [], stopped: [], replaced: [] })
    up.delete(2)
    expect(await again.drift()).toMatchObject([{ subject: '/srv/2' }])
    await again.open()
    await again.close()
    expect(standing()).toEqual(['1 a', '2 b'])
    expect(notified).toEqual(['release 2', 'restore 2', 'mount restored'])
    expect(restored).toEqual([2])
  })

  it('are not touched by a deployment whose login is refused, and the one in force stays', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a']))
    await mounts.settle()
    const config = readFileSync(join(dir, 'rclone.conf'), 'utf8')
    const refusing = await open(() => Promise.reject(new Error('Swift does not let a:b in.')))
    const wrong = {
      ...state([1, 'a'], [2, 'b']),
      storage: { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'no' },
    }
    await expect(refusing.start(wrong)).rejects.toThrow('does not let a:b in')
    expect([standing(), readFileSync(join(dir, 'rclone.conf'), 'utf8')]).toEqual([['1 a'], config])
    expect(statSync(join(dir, 'rclone.conf')).mode & 0o777).toBe(0o600)
  })

  it('stay as they were where their protocol does, while those of the other one go on', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a'], [2, 'b'], [3, 'c']))
    await mounts.settle()
    // 1 is another, 2 goes, 4 is new, and all of them are kept unchanged; 3 goes and 5 comes.
    const next = state([1, 'other'], [4, 'd'], [5, 'e'])
    await mounts.start(next)
    expect(standing()).toEqual(['1 a', '2 b', '3 c', '4 d', '5 e'])
    await mounts.keepUnchanged(new Set(['/srv/1', '/srv/2', '/srv/4']))
    await mounts.settle()
    expect(standing()).toEqual(['1 a', '2 b', '5 e'])
    expect(drained).toEqual(['c'])
    await mounts.start(next, new Set(['/srv/1', '/srv/2', '/srv/4']))
    expect([standing(), await mounts.settle(), standing()]).toEqual([
      ['1 a', '2 b', '5 e'],
      nothing,
      ['1 a', '2 b', '5 e'],
    ])
    expect((await mounts.plan(next)).stopped).toEqual(['/srv/1', '/srv/2'])
    await mounts.open()
    await mounts.close()
    expect(drained).toEqual(['c', 'd'])
  })

  it('end again when a deployment returns to what was', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a']))
    await mounts.abandon()
    expect([standing(), await mounts.settle()]).toEqual([[], nothing])
  })

  it('that cannot be mounted are named, the others are mounted, and the same deployment adds what was missing', async () => {
    const mounts = await open()
    away.add('c')
    const missing = [{ share: 3, reason: '/srv/3 could not be mounted: Swift is away.' }]
    expect(await mounts.start(state([1, 'a'], [3, 'c']))).toEqual(missing)
    await mounts.settle()
    expect([standing(), await mounts.drift()]).toEqual([['1 a'], []])
    expect(await mounts.start(state([1, 'a'], [3, 'c']))).toEqual(missing)
    await mounts.settle()
    away.clear()
    expect(await mounts.start(state([1, 'a'], [3, 'c']))).toEqual([])
    await mounts.settle()
    expect(standing()).toEqual(['1 a', '3 c'])
  })

  it('that are down when a deployment comes are mounted again, or left out of it until they can be', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a'], [2, 'b']))
    await mounts.settle()
    up.clear()
    away.add('b')
    expect(await mounts.start(state([1, 'a'], [2, 'b']))).toMatchObject([{ share: 2 }])
    await mounts.settle()
    expect([standing(), await mounts.drift()]).toEqual([['1 a'], []])
    away.clear()
    await mounts.start(state([1, 'a'], [2, 'b']))
    await mounts.settle()
    expect(standing()).toEqual(['1 a', '2 b'])
  })

  it('of a deployment that a kill interrupted end, unless the next one wants them', async () => {
    await (await open()).start(state([1, 'a'], [2, 'b']))
    const next = await open()
    await next.start(state([2, 'b'], [3, 'c']))
    await next.settle()
    await next.open()
    await next.close()
    expect([standing(), drained]).toEqual([['2 b', '3 c'], ['a']])
  })

  it('are replaced while their share is away from its clients, and what was written to the old container is uploaded', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a']))
    await mounts.settle()
    await mounts.start(state([1, 'b']))
    expect(standing()).toEqual(['1 a'])
    expect(await mounts.settle()).toEqual(nothing)
    expect([standing(), drained, notified]).toEqual([['1 b'], ['a'], ['release 1', 'restore 1']])
  })

  it('that are removed are reported while their uploads go on, which the next agent ends', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a']))
    await mounts.settle()
    away.add('a')
    await mounts.start(state())
    const note = 'Uploads of share 1 to the container a are not complete; they continue.'
    expect(await mounts.settle()).toEqual({ missing: [], notes: [note] })
    away.clear()
    const again = await open()
    await again.open()
    await again.close()
    expect(drained).toEqual(['a'])
    expect(readFileSync(join(dir, 'mounts.json'), 'utf8')).not.toContain('S3CR3T')
  })

  it('that cannot be replaced are reported, kept from clients, and tried again', async () => {
    const mounts = await open()
    await mounts.start(state([1, 'a']))
    await mounts.settle()
    await mounts.start(state([1, 'b']))
    away.add('b')
    const missing = [{ share: 1, reason: '/srv/1 could not be mounted: Swift is away.' }]
    expect(await mounts.settle()).toEqual({ missing, notes: [] })
    expect(notified).toEqual(['release 1'])
    away.clear()
    await mounts.open()
    await mounts.close()
    expect(standing()).toEqual(['1 b'])
    expect(notified.slice(-2)).toEqual(['restore 1', 'mount restored'])
  })
})
