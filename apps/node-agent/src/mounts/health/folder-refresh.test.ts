import { beforeEach, describe, expect, it } from 'vitest'
import { TestClock } from '@roost/testing'
import { startFolderRefresh } from './folder-refresh.js'

const login = { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'c' }

/** Objects by container; none while Swift is away. */
let objects: ReadonlyMap<string, number> | undefined
let calls: string[]
let clock: TestClock
beforeEach(() => {
  objects = new Map([
    ['small', 10_000],
    ['large', 10_001],
  ])
  calls = []
  clock = new TestClock()
})

const start = () =>
  startFolderRefresh({
    mounts: () => ['small', 'large', 'new'].map((container, i) => ({ share: i + 1, container, remote: 'swift' })),
    logins: () => ({ swift: login }),
    client: {
      async open() {
        if (objects === undefined) throw new Error('no answer in time')
        return {
          url: 'http://swift/v1/AUTH_a',
          async head(container = '') {
            const count = objects?.get(container)
            return { status: count === undefined ? 404 : 204, objects: count }
          },
        }
      },
    },
    refresh: async (share) => void calls.push(`refresh ${share}`),
    forget: async (share) => void calls.push(`forget ${share}`),
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  })

describe('listings of mounts', () => {
  it('are renewed each minute, those of large containers forgotten', async () => {
    const refresh = start()
    await clock.pass(0)
    expect(calls.toSorted()).toEqual(['forget 2', 'refresh 1', 'refresh 3'])
    await clock.pass(60_000)
    expect(calls).toHaveLength(6)
    await refresh.stop()
  })

  it('are kept while Swift is away, except those of large containers', async () => {
    const refresh = start()
    await clock.pass(0)
    calls.length = 0
    objects = undefined
    await clock.pass(60_000)
    expect(calls).toEqual(['forget 2'])
    await refresh.stop()
  })
})
