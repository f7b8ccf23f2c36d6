import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { SwiftNode } from './swift-node.js'

let api: TestApi
let cluster: number
let nodes: readonly [SwiftNode, SwiftNode, SwiftNode]
beforeAll(async () => {
  api = await startApi()
  cluster = await addCluster(api.database, 'lab')
  nodes = [
    await SwiftNode.create('127.0.2.1', ['d1', 'd2']),
    await SwiftNode.create('127.0.2.2', ['d3', 'd4', 'd5']),
    await SwiftNode.create('127.0.2.3', []),
  ]
  for (const node of nodes) await node.enroll(api, cluster)
  for (const node of nodes) node.start()
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await api.stop()
})

interface Shown {
  readonly [field: string]: unknown
  readonly reasons: readonly { readonly code: string; readonly subject: string; readonly message: string }[]
}

async function healthWhen(isDone: (health: Shown) => boolean): Promise<Shown> {
  const deadline = Date.now() + 180_000
  for (;;) {
    const { body, text } = await api.get(`/api/v1/clusters/${cluster}/health/`)
    if (isDone(body as Shown)) return body as Shown
    if (Date.now() > deadline) throw new Error(`${text}\n${nodes.map(({ output }) => output).join('\n')}`)
    await sleep(200)
  }
}

const has = (code: string) => (health: Shown) => health.reasons.some((reason) => reason.code === code)

/** Replaces a file of a node as an operator does, and returns how to undo it. */
function replace(node: SwiftNode, name: string, change: (before: Buffer) => Buffer | string): () => void {
  const path = `${node.root}/etc/swift/${name}`
  const before = readFileSync(path)
  writeFileSync(path, change(before))
  return () => writeFileSync(path, before)
}

interface Header {
  readonly devs: readonly { readonly device: string; weight: number }[]
}

/** Writes a ring with another header; its table stays. */
function withHeader(file: Buffer, change: (header: Header) => void): Buffer {
  const bytes = gunzipSync(file)
  const start = 10 + bytes.readUInt32BE(6)
  const header = JSON.parse(bytes.toString('utf8', 10, start)) as Header
  change(header)
  const json = Buffer.from(JSON.stringify(header))
  const front = Buffer.from(bytes.subarray(0, 10))
  front.writeUInt32BE(json.length, 6)
  return gzipSync(Buffer.concat([front, json, bytes.subarray(start)]))
}

describe('the rings and swift.conf of real agents', { timeout: 240_000 }, () => {
  it('show the ring entries of each device, and agree', async () => {
    const health = await healthWhen(({ nodes: found }) => (found as readonly object[]).length === 3)
    expect(health).toMatchObject({ rings_agree: true, swift_conf_agree: true, swift_conf: [{ nodes: { length: 3 } }] })
    const { body } = await api.get('/api/v1/devices/?name=d5')
    const replication = { replication_ip: '127.0.2.2', replication_port: 6200 }
    expect(body.objects).toMatchObject([
      {
        rings: [{ ring: 'object-1', policy: 'silver', region: 1, zone: 2, weight: 40, partitions: 21, ...replication }],
        is_drained: false,
      },
    ])
    const policies = (await api.get(`/api/v1/storage_policies/?cluster=${cluster}`)).body.objects
    expect(policies).toMatchObject([{ replicas: 2, ec: null }, { replicas: 2 }])
  })

  it('name three faults of files, and nothing any more once they are repaired', async () => {
    const undo = [
      replace(nodes[1], 'swift.conf', (text) => text.toString().replace(/(suffix *= *).*/, '$1another')),
      replace(nodes[1], 'object-1.ring.gz', (file) => file.subarray(0, -4)),
      // Swift itself loads this one.
      replace(nodes[2], 'object.ring.gz', (file) => gzipSync(gunzipSync(file).subarray(0, -20))),
    ]
    const faults = ['ring_short', 'ring_unreadable', 'swift_conf_mismatch']
    const health = await healthWhen((found) => faults.every((code) => has(code)(found)))
    const reasons = health.reasons.filter(({ code }) => /^(ring|swift_conf)_/.test(code))
    expect(reasons.map(({ code, subject }) => [code, subject])).toEqual([
      ['ring_mismatch', 'object'],
      ['swift_conf_mismatch', 'store-127.0.2.2'],
      ['ring_short', 'object'],
      ['ring_unreadable', '/etc/swift/object-1.ring.gz'],
    ])
    expect(reasons[2]?.message).toMatch(
      /object\.ring\.gz of store-127\.0\.2\.3 has 118 .*; that of 2 other nodes has 128/,
    )
    expect(JSON.stringify(health)).not.toMatch(/labsuffix|another"/)
    // What was known of an unreadable ring is kept.
    expect((await api.get('/api/v1/devices/?name=d5')).body.objects).toHaveLength(1)
    for (const repair of undo) repair()
    await healthWhen((found) => !faults.some((code) => has(code)(found)))
  })

  it('show a device with weight 0 as drained', async () => {
    for (const node of nodes)
      replace(node, 'object-1.ring.gz', (file) =>
        withHeader(file, ({ devs }) => {
          for (const one of devs) if (one.device === 'd5') one.weight = 0
        }),
      )
    const { drained } = await healthWhen((found) => (found['drained'] as readonly object[]).length > 0)
    expect(drained).toMatchObject([{ name: 'd5' }])
    expect((await api.get('/api/v1/devices/?name=d5')).body.objects).toMatchObject([{ is_drained: true }])
  })
})
