import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { createLog } from '@roost/runtime'
import { createNodeProblems } from '../../machine/problems.js'
import { TestClock } from '@roost/testing'
import { createStorageClient } from '../health/storage-client.js'
import { mountRecordFile } from '../desired/mount-record.js'
import { MountStore } from '../desired/mount-store.js'
import { writeDirtyFile } from '../testing/dirty-file.js'
import { scriptedMounts } from '../testing/scripted-mounts.js'
import { createShareCounts } from './files/share-counts.js'
import { openUploads } from './uploads.js'
import type { Uploads } from './uploads.js'
import { sampleSpec } from '../testing/sample-spec.js'

const patience = { timeout: 45_000, interval: 20 }
/** Longer than any test. */
const answerMs = 600_000

let dir: string
let clock: TestClock
let uploads: Uploads
let url: string
/** Requests for objects; none is answered. */
let asked: string[]
let ended: string[]

const server = createServer(({ url: path = '' }, response) => {
  if (path === '/auth') response.writeHead(200, { 'X-Auth-Token': 'token', 'X-Storage-Url': `${url}/v1/AUTH_a` }).end()
  else {
    asked.push(path)
    response.once('close', () => ended.push(path))
  }
})

const spec = sampleSpec({ container: 'docs' })

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-uploads-'))
  clock = new TestClock(Date.now())
  ;[asked, ended] = [[], []]
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await uploads.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(dir, { recursive: true })
})

/** Counts the share 7, of which a file was renamed from `old` to `new` before the agent was started. */
async function open(): Promise<void> {
  const store = await MountStore.read({
    recordFile: mountRecordFile(join(dir, 'mounts.json')),
    configFile: join(dir, 'rclone.conf'),
  })
  const logins = { swift: { auth_url: `${url}/auth`, user: 'a:b', key: 'key' } }
  await store.save((record) => ({ ...record, settled: [spec], logins }))
  const renamed = { share: 7, remote: 'swift', container: 'docs', from: 'old', to: 'new', leftoverBytes: null }
  writeFileSync(join(dir, 'renamed-files.json'), JSON.stringify([{ ...renamed, renamedAtMs: clock.now() - 600_000 }]))
  uploads = await openUploads({
    store,
    shareMounts: scriptedMounts(),
    cacheDirectory: join(dir, 'cache'),
    machine: openMachine(),
    run: runCommand,
    client: createStorageClient(answerMs),
    answeringSince: () => 0,
    restarts: { request: () => {}, pending: () => [] },
    problems: createNodeProblems(),
    readNames: async () => ({}),
    counts: createShareCounts(),
    stateDirectory: dir,
    clock,
    log: createLog({ format: 'json', level: 'error', write: () => {} }),
  })
}

const save = (name: string) => writeDirtyFile(join(dir, 'cache/7'), `swift/docs/${name}`)

const inTime = (expected: () => void) =>
  vi.waitFor(async () => {
    await clock.pass(5_000)
    expected()
  }, patience)
const dirtyFiles = () => uploads.answer(7).dirty_files

describe('what is not in Swift', () => {
  it('is counted while Swift leaves a request for a leftover without an answer, which ends with the agent', async () => {
    await open()
    await inTime(() => expect(asked).toEqual(['/v1/AUTH_a/docs/old']))
    for (let files = 1; files <= 3; files++) {
      save(`file ${files}`)
      await inTime(() => expect(dirtyFiles()).toBe(files))
    }
    expect([asked, ended]).toEqual([['/v1/AUTH_a/docs/old'], []])
    await uploads.close()
    await vi.waitFor(() => expect(ended).toEqual(asked), patience)
  })

  it('is not compared with its old name in Swift, not even before it was counted', async () => {
    save('new')
    await open()
    await inTime(() => expect(dirtyFiles()).toBe(1))
    await clock.pass(60_000)
    expect(asked).toEqual([])
    rmSync(join(dir, 'cache/7/vfsMeta/swift/docs/new'))
    await inTime(() => expect(asked).toEqual(['/v1/AUTH_a/docs/old']))
  })
})
