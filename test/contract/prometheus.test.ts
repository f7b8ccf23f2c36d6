import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeMetricFrame } from '@roost/api-types/agent'
import { DeviceStatus, NodeState } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
  const clusterId = await addCluster(api.database, 'north "1"')
  const nodeId = await addNode(api.database, clusterId, { hostname: 'n1', state: 'online' })
  await addNode(api.database, clusterId, { hostname: 'n2' })
  const policyId = await addPolicy(api.database, clusterId, 0, 'gold\u202e')
  const policies = { create: [{ policyId }] }
  const usage = { totalBytes: 1000n, freeBytes: 700n, availableBytes: 600n }
  await addDevice(api.database, clusterId, nodeId, { name: 'd1', policies, ...usage })
  await addDevice(api.database, clusterId, nodeId, { name: 'd2', policies, status: 'failed', ...usage })
  await api.context.capacity.intake.devicesChanged(nodeId)
  const { intake } = api.context.metrics
  await intake.catalogue(nodeId, { id: 1, metrics: [{ name: 'a.b', unit: 'count', aggregation: 'sum' }] })
  const frame = { sequence: 1n, time: Date.now() / 1000, values: Float64Array.of(1) }
  intake.frame(nodeId, encodeMetricFrame({ catalogue: 1, ...frame }))
  intake.frame(nodeId, encodeMetricFrame({ catalogue: 2, ...frame }))
})
afterAll(() => api.stop())

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface Family {
  readonly name: string
  type: string
  readonly help: string
  readonly samples: Sample[]
}

/** Reads the text format strictly: every family comes once, with its help and type before its samples. */
function parse(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, Family>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    const last = [...families.values()].at(-1)
    if (keyword === 'HELP') families.set(unseen(families, name), { name, type: '', help: rest, samples: [] })
    else if (keyword === 'TYPE') familyNamed(last, name).type = rest
    else familyNamed(last, last?.name).samples.push(sampleOf(familyNamed(last, last?.name), line))
  }
  return families
}

function unseen(families: ReadonlyMap<string, Family>, name: string): string {
  if (families.has(name)) throw new Error(`${name} comes twice`)
  return name
}

function familyNamed(family: Family | undefined, name: string | undefined): Family {
  if (family === undefined || family.name !== name) throw new Error(`${name} stands at the wrong place`)
  return family
}

function sampleOf({ name }: Family, line: string): Sample {
  const [, ofName, labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/.exec(line) ?? []
  if (ofName === undefined || ![name, `${name}_bucket`, `${name}_sum`, `${name}_count`].includes(ofName))
    throw new Error(`Cannot be read, or belongs elsewhere: ${line}`)
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)",?/g)].map(([, key = '', text = '']) => [key, text])
  return { labels: Object.fromEntries(pairs), value: Number(value.replace('+Inf', 'Infinity')) }
}

const north = String.raw`north \"1\"`

describe('/metrics', () => {
  it('needs a key, and takes it as Prometheus sends it', async () => {
    expect((await api.get('/metrics', { authorization: null })).status).toBe(401)
    const { status, headers } = await api.get('/metrics', { authorization: `apikey ${api.key}` })
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  })

  it('is text that can be read, with names by the conventions', async () => {
    const families = parse((await api.get('/metrics')).text)
    expect(families.size).toBeGreaterThan(30)
    const all = [...families.values()]
    expect(all.filter(({ type }) => !['counter', 'gauge', 'histogram', 'summary'].includes(type))).toEqual([])
    const ours = all.filter(({ name }) => name.startsWith('roost_'))
    expect(ours.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([])
  })

  it('tells capacity by set of policies, devices and nodes', async () => {
    const families = parse((await api.get('/metrics')).text)
    const samples = (name: string) => families.get(name)?.samples
    const gold = { cluster: north, ring_set: 'gold?' }
    expect(samples('roost_capacity_raw_bytes')).toEqual([{ labels: gold, value: 900 }])
    expect(samples('roost_capacity_used_bytes')).toEqual([{ labels: gold, value: 300 }])
    expect(samples('roost_capacity_free_bytes')).toEqual([{ labels: gold, value: 600 }])
    expect(samples('roost_capacity_devices')).toEqual([{ labels: gold, value: 2 }])
    const d1 = { cluster: north, node: 'n1', device: 'd1' }
    expect(samples('roost_device_raw_bytes')).toEqual([{ labels: d1, value: 900 }])
    expect(samples('roost_device_used_bytes')).toEqual([{ labels: d1, value: 300 }])
    expect(samples('roost_device_free_bytes')).toEqual([{ labels: d1, value: 600 }])
    expect(samples('roost_devices')).toEqual([
      { labels: { cluster: north, status: 'failed' }, value: 1 },
      { labels: { cluster: north, status: 'ok' }, value: 1 },
    ])
    expect(samples('roost_nodes')).toEqual([
      { labels: { cluster: north, state: 'online' }, value: 1 },
      { labels: { cluster: north, state: 'pending' }, value: 1 },
    ])
    expect(samples('roost_database_up')).toEqual([{ labels: {}, value: 1 }])
  })

  it('has every metric and label value that docs/operate.md gives for alerts', async () => {
    const families = parse((await api.get('/metrics')).text)
    const page = await readFile(join(repository, 'docs/operate.md'), 'utf8')
    const named = new Set(page.match(/\broost_[a-z_]+/g))
    expect(named.size).toBeGreaterThan(8)
    // Those of remote_write are there only with a server of remote_write: test/prometheus/remote-write.test.ts reads them.
    const always = [...named].filter((name) => !name.startsWith('roost_remote_write_'))
    expect(always.filter((name) => !families.has(name))).toEqual([])
    const valuesOf = (label: string) =>
      page.match(new RegExp(`\\{${label}=~"([^"]+)"\\}`))?.[1]?.split(String.raw`\|`) ?? ['none']
    expect(NodeState.options).toEqual(expect.arrayContaining(valuesOf('state')))
    expect(DeviceStatus.options).toEqual(expect.arrayContaining(valuesOf('status')))
  })

  it('tells what the process itself does: requests by route, stream, intake and database', async () => {
    await api.get('/api/v1/clusters/1/')
    await api.get('/api/v1/clusters/2/')
    const families = parse((await api.get('/metrics')).text)
    const valueOf = (name: string, labels: Readonly<Record<string, string>> = {}) =>
      families.get(name)?.samples.find((one) => JSON.stringify(one.labels) === JSON.stringify(labels))?.value
    const routes = families.get('roost_http_request_duration_seconds')?.samples.map(({ labels }) => labels['route'])
    expect(new Set(routes)).toContain('/api/v1/clusters/:id/')
    expect(JSON.stringify(routes)).not.toContain('clusters/1')
    expect(valueOf('roost_metric_samples_total')).toBe(1)
    expect(valueOf('roost_metric_frames_dropped_total', { reason: 'unknown_catalogue' })).toBe(1)
    expect(valueOf('roost_metric_nodes')).toBe(1)
    expect(valueOf('roost_stream_sessions', { state: 'connected' })).toBe(0)
    expect(valueOf('roost_database_connections', { state: 'busy' })).toBeGreaterThanOrEqual(0)
    expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  })
})
