import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startHelper } from '../../machine/helper.js'
import { openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { slowReaders } from '../engine/slow-reader.js'
import { testHost } from '../testing/test-host.js'
import { createRecon, reconMeasurements } from './recon.js'

const now = 1_795_173_900

function valuesOf(server: 'account' | 'container' | 'object', content: unknown): Readonly<Record<string, number>> {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return Object.fromEntries(reconMeasurements(server, text, now).map(({ name, value }) => [name, value]))
}

describe('recon', () => {
  it('gives the time of an object replication, which Swift counts in minutes, in seconds like the others', () => {
    const pass = { replication_time: 0.5, replication_last: now - 7 }
    const objectPass = { ...pass, object_replication_time: 0.5, object_replication_last: now - 7 }
    expect(valuesOf('object', objectPass)).toEqual({ 'replication.ALL.duration': 30, 'replication.ALL.age': 7 })
    for (const server of ['account', 'container'] as const)
      expect(valuesOf(server, pass)).toEqual({
        [`recon.${server}.replication.duration`]: 0.5,
        [`recon.${server}.replication.age`]: 7,
      })
  })

  it('reports each device that the replicator reports', () => {
    const own = {
      object_replication_time: 2,
      object_replication_last: now - 1,
      replication_stats: { attempted: 9, failure: 1, failure_nodes: { '10.0.0.2': { d1: 1 } } },
    }
    expect(valuesOf('object', { object_replication_per_disk: { 'd.1': own } })).toEqual({
      'replication.d_1.duration': 120,
      'replication.d_1.age': 1,
      'replication.d_1.attempted': 9,
      'replication.d_1.failure': 1,
    })
  })

  it('keeps the name of a null without a value, and leaves out missing fields', () => {
    expect(valuesOf('object', { async_pending: null, async_pending_last: null, expired_last_pass: 'x' })).toEqual({
      'recon.object.async_pending': Number.NaN,
      'recon.object.async_pending_age': Number.NaN,
      'recon.object.expirer.expired': Number.NaN,
    })
    expect(valuesOf('object', { object_auditor_stats_ALL: null, replication_stats: null })).toEqual({})
  })

  it('reports each step of a sharder', () => {
    const sharding = {
      cleaved: { attempted: 3, success: 2, failure: 1, max_time: 4.5, min_time: 0.5 },
      sharding_candidates: { found: 7, top: [{ account: 'AUTH_a' }] },
      sharding_in_progress: { all: [{ account: 'AUTH_a' }] },
    }
    const content = { sharding_time: 60, sharding_last: now - 3, sharding_stats: { attempted: 0, sharding } }
    expect(valuesOf('container', content)).toEqual({
      'recon.container.sharding.elapsed': 60,
      'recon.container.sharding.age': 3,
      'recon.container.sharding.cleaved.attempted': 3,
      'recon.container.sharding.cleaved.success': 2,
      'recon.container.sharding.cleaved.failure': 1,
      'recon.container.sharding.cleaved.max_time': 4.5,
      'recon.container.sharding.cleaved.min_time': 0.5,
      'recon.container.sharding.sharding_candidates.found': 7,
    })
  })

  it.each(['', '{', '[]', 'null', '3', '{"async_pending": NaN}', '{"object_replication_per_disk": [1]}'])(
    'has no measurement of %j',
    (text) => expect(valuesOf('object', text)).toEqual({}),
  )

  it('has ages of at least zero when a clock is set back', () => {
    expect(valuesOf('account', { replication_last: now + 60 })).toEqual({ 'recon.account.replication.age': 0 })
  })
})

describe('the caches', () => {
  const root = mkdtempSync(join(tmpdir(), 'roost-recon-'))
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('are read from the configured folder below the root; a damaged one has only its age', async () => {
    mkdirSync(join(root, 'srv/cache'), { recursive: true })
    const files = { account: '{"account_audits_passed": 5}', object: '{"async_pen' }
    for (const [server, text] of Object.entries(files)) {
      const file = join(root, `srv/cache/${server}.recon`)
      writeFileSync(file, text)
      utimesSync(file, now - 42, now - 42)
    }
    const recon = createRecon({ directory: '/srv/cache', now: () => now * 1_000 })
    const machine = openMachine(root)
    const reader = slowReaders({ machine, run: runCommand, start: startHelper, deadlineMs: 45_000 })()
    const measurements = await recon.read({ ...testHost({}), machine, readSlowly: reader.read })
    reader.close()
    expect(measurements).toEqual([
      { name: 'recon.account.cache_age', unit: 'seconds', value: 42 },
      { name: 'recon.account.auditor.passed', unit: 'count', value: 5 },
      { name: 'recon.object.cache_age', unit: 'seconds', value: 42 },
    ])
  })
})
