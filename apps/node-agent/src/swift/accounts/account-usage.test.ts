import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { InventoryDevice } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { sampleDevice } from '../../inventory/testing/sample-device.js'
import { readPlacement } from '../rings/ring.js'
import { createAccountUsage } from './account-usage.js'

const lab = fileURLToPath(new URL('../../inventory/fixtures/lab', import.meta.url))
const program = fileURLToPath(new URL('../../../dist/swift/accounts/account-scan-main.js', import.meta.url))

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-accounts-'))
  cpSync(lab, root, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

/** Partitions of a device in the lab's account ring, and one of another device. */
async function partitionsOf(name: string): Promise<{ readonly own: readonly number[]; readonly other: number }> {
  const ring = readFileSync(join(lab, 'etc/swift/account.ring.gz'))
  const [placement] = await readPlacement(ring, ({ device }) => device === name)
  const has = [...(placement?.has ?? [])]
  return { own: has.flatMap((is, partition) => (is === 1 ? partition : [])), other: has.indexOf(0) }
}

function put(name: string, partition: number | undefined, hash: string, fixture: string): void {
  const folder = join(root, 'srv/node', name, 'accounts', String(partition), hash.slice(-3), hash)
  mkdirSync(folder, { recursive: true })
  const bytes = readFileSync(new URL(`fixtures/account-db/${fixture}.db.gz`, import.meta.url))
  writeFileSync(join(folder, `${hash}.db`), gunzipSync(bytes))
}

const usageOf = (devices: readonly InventoryDevice[], deadlineMs = 60_000, scan = program) =>
  createAccountUsage({
    machine: openMachine(root),
    ringDirectory: '/etc/swift',
    run: runCommand,
    devices: () => devices,
    deadlineMs,
    program: scan,
  })

describe('the accounts of a storage node', () => {
  it('are read from the devices of the ring', async () => {
    const { own, other } = await partitionsOf('d1')
    put('d1', own[0], 'a'.repeat(32), 'two-policies')
    put('d1', own[1], 'b'.repeat(32), 'system')
    put('d1', other, 'c'.repeat(32), 'large-metadata')
    const sample = await usageOf([sampleDevice('d1', '127.0.2.1')]).sample()
    expect(sample).toEqual({
      databases: 2,
      faults: [],
      rows: expect.arrayContaining([
        { account: 'AUTH_test', policy: 0, containers: 2, objects: 2, bytes: 5_000_000_000 },
        { account: 'AUTH_test', policy: 1, containers: 1, objects: 3, bytes: 10_920_612 },
        { account: '.expiring_objects', policy: 0, containers: 1, objects: 4, bytes: 0 },
      ]),
    })
    expect(sample?.rows).toHaveLength(3)
  })

  it('count once when two devices of the node have copies', async () => {
    for (const name of ['d1', 'd2']) put(name, (await partitionsOf(name)).own[0], 'a'.repeat(32), 'two-policies')
    const sample = await usageOf([sampleDevice('d1', '127.0.2.1'), sampleDevice('d2', '127.0.2.1')]).sample()
    expect([sample?.databases, sample?.rows.length]).toEqual([2, 2])
  })

  it('are not read on a device with problems', async () => {
    put('d1', (await partitionsOf('d1')).own[0], 'a'.repeat(32), 'two-policies')
    expect(await usageOf([sampleDevice('d1', '127.0.2.1', { status: 'failed' })]).sample()).toBeNull()
  })

  it('are missing without a ring, or when the ring has another address of the device', async () => {
    put('d1', (await partitionsOf('d1')).own[0], 'a'.repeat(32), 'two-policies')
    expect(await usageOf([sampleDevice('d1', '10.0.0.1')]).sample()).toMatchObject({ rows: [], databases: 0 })
    rmSync(join(root, 'etc/swift/account.ring.gz'))
    expect(await usageOf([sampleDevice('d1', '127.0.2.1')]).sample()).toBeNull()
  })

  it('are read in spite of a damaged database, which is reported', async () => {
    const { own } = await partitionsOf('d1')
    put('d1', own[0], 'a'.repeat(32), 'two-policies')
    put('d1', own[1], 'b'.repeat(32), 'system')
    writeFileSync(
      join(root, 'srv/node/d1/accounts', String(own[1]), 'bbb', 'b'.repeat(32), `${'b'.repeat(32)}.db`),
      '?',
    )
    const sample = await usageOf([sampleDevice('d1', '127.0.2.1')]).sample()
    expect(sample?.rows).toHaveLength(2)
    expect(sample?.faults).toEqual([expect.stringMatching(/bbb\.db: it is not a SQLite database\./)])
  })

  it('of the finished devices are kept when the scan is killed', async () => {
    const slow = join(root, 'slow.mjs')
    const row = { account: 'AUTH_a', policy: 0, containers: 1, objects: 1, bytes: 1 }
    writeFileSync(slow, `console.log(${JSON.stringify(JSON.stringify({ row }))}); setTimeout(() => {}, 60_000)`)
    const sample = await usageOf([sampleDevice('d1', '127.0.2.1')], 10_000, slow).sample()
    expect(sample).toEqual({ rows: [row], databases: 0, faults: ['The scan did not answer in time and was killed.'] })
  })
})
