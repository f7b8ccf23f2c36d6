import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { createNodeProblems, type NodeProblems } from '../../machine/problems.js'
import { nfsShare } from '@roost/testing/shares'
import { ampleCache } from '../testing/ample-cache.js'
import { mountRecordFile } from '../desired/mount-record.js'
import { MountStore } from '../desired/mount-store.js'
import type { GatewayState } from '../desired/mounts.js'
import { RcloneMounts } from '../rclone-mounts.js'
import { scriptedMounts } from '../testing/scripted-mounts.js'

let dir: string
let mounts: RcloneMounts
let problems: NodeProblems
/** Shares whose mounts an earlier version of the agent started. */
let outdated: Set<number>
let served: string[]

const shareMounts = scriptedMounts({
  isOutdated: async ({ share }) => outdated.has(share),
  up: async ({ share }) => void outdated.delete(share),
})
const state: GatewayState = {
  kind: 'gateway',
  shares: [nfsShare(1), nfsShare(2)],
  storage: { auth_url: 'http://swift/auth/v1.0', user: 'a:b', key: 'c' },
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-outdated-'))
  problems = createNodeProblems()
  outdated = new Set()
  served = []
  const recordFile = mountRecordFile(join(dir, 'mounts.json'))
  const quiet = () => {}
  const store = await MountStore.read({ recordFile, configFile: join(dir, 'rclone.conf') })
  mounts = new RcloneMounts({
    store,
    ...ampleCache(store),
    shareMounts,
    requireProgram: async () => {},
    checkLogin: async () => {},
    clientFiles: async () => new Map([1, 2].map((share) => [`/srv/${share}`, 1])),
    problems,
    readNames: async () => ({ '/srv/1': 'docs' }),
    onRestored: () => {},
    findMissingContainers: async (_login, containers) => new Set(containers),
    clock: systemClock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
  mounts.servedBy({
    release: async (ids) => void served.push(`release ${ids.join()}`),
    restore: async (ids) => void served.push(`restore ${ids.join()}`),
  })
  await mounts.start(state)
  await mounts.settle()
  outdated = new Set([1, 2])
})
afterEach(async () => {
  await mounts.close()
  rmSync(dir, { recursive: true })
})

describe('mounts that an earlier version of the agent started', () => {
  it('are a problem of the node, by the names of their shares, while clients have files open', async () => {
    await mounts.open()
    await vi.waitUntil(() => problems.list().length > 0, { timeout: 30_000 })
    expect(problems.list()).toMatchObject([
      { code: 'mount_outdated', subject: 'docs', message: expect.stringContaining("'docs'") },
      { code: 'mount_outdated', subject: '/srv/2' },
    ])
    expect(served).toEqual([])
  })

  it('are replaced by the next deployment, as its plan says, where that does not keep a folder as it is', async () => {
    const paths = ['/srv/1', '/srv/2']
    expect(await mounts.plan(state)).toMatchObject({ started: paths, stopped: paths, replaced: [1, 2] })
    await mounts.start(state, new Set(['/srv/2']))
    await mounts.settle()
    expect([served, outdated]).toEqual([['release 1', 'restore 1'], new Set([2])])
    await mounts.start(state)
    await mounts.settle()
    expect(await mounts.plan(state)).toMatchObject({ started: [], stopped: [], replaced: [] })
  })
})

it('a plan has a note for a container that the first write will create', async () => {
  outdated = new Set()
  const next = nfsShare(3, { objectstore_container: 'new' })
  expect((await mounts.plan({ ...state, shares: [...state.shares, next] })).notes).toEqual([
    "The container 'new' does not exist. The first write will create it in the default storage policy.",
  ])
})
