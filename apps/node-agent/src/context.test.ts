import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog, systemClock } from '@roost/runtime'
import { readConfig } from './config.js'
import { type Context, openContext } from './context.js'

/** On a machine with much to do. */
const patienceMs = 45_000

let dir: string
let port: number
let context: Context | undefined

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-context-'))
  mkdirSync(join(dir, 'root/etc/swift'), { recursive: true })
  mkdirSync(join(dir, 'root/srv/cache'), { recursive: true })
  writeFileSync(join(dir, 'root/etc/swift/swift.conf'), '')
  writeFileSync(join(dir, 'root/srv/cache/object.recon'), '{"async_pending": 2}')
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  port = socket.address().port
  socket.close()
})
afterEach(async () => {
  await context?.close()
  rmSync(dir, { recursive: true, force: true })
})

function open(statsd: { readonly enabled?: boolean }): Context {
  const file = {
    root: join(dir, 'root'),
    swift: { recon_cache_directory: '/srv/cache' },
    statsd: { ...statsd, port },
  }
  writeFileSync(join(dir, 'config.json'), JSON.stringify(file))
  const log = createLog({ format: 'json', level: 'error', write: () => {} })
  context = openContext(readConfig({ dataDir: dir }, {}), systemClock, log)
  return context
}

async function reading(from: Context): Promise<ReadonlyMap<string, number>> {
  const { metrics, values } = await from.readings.read()
  return new Map(metrics.map(({ name }, i) => [name, values[i] ?? Number.NaN]))
}

describe('what reads a node with Swift', () => {
  it('has the caches of its daemons and what its servers send, where the configuration says', async () => {
    const context = open({ enabled: true })
    expect((await reading(context)).get('recon.object.async_pending')).toBe(2)
    const socket = createSocket('udp4')
    await vi.waitFor(async () => {
      socket.send('object-server.async_pendings:1|c', port, '127.0.0.1')
      expect((await reading(context)).get('object-server.async_pendings.count')).toBeGreaterThan(0)
    }, patienceMs)
    socket.close()
  })

  it.each([
    ['of a folder that is no machine, though it has a swift.conf', {}],
    ['that are not wanted', { enabled: false }],
  ])('takes no datagrams %s', async (_of, statsd) => {
    const values = await reading(open(statsd))
    expect(values.get('roost.collector.statsd.success')).toBe(1)
    expect(values.has('roost.statsd.names')).toBe(false)
  })

  it('listens by itself where there is a swift.conf and a kernel', async () => {
    mkdirSync(join(dir, 'root/proc/self'), { recursive: true })
    expect((await reading(open({}))).get('roost.statsd.names')).toBe(0)
  })
})
