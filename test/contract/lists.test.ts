import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockInserts } from '@roost/control-plane/dist/database/insert-order.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { testCaller } from '../support/agents/enrollment.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'

let api: TestApi
let east: number
let west: number
let device: number
const nodes: number[] = []

beforeAll(async () => {
  api = await startApi()
  east = await addCluster(api.database, 'east')
  west = await addCluster(api.database, 'west')
  for (let i = 0; i < 25; i++)
    nodes.push(
      await addNode(api.database, i % 5 === 0 ? west : east, {
        hostname: `node-${String(i).padStart(2, '0')}`,
        enabled: i % 2 === 0,
        cpuCores: 4 + (i % 3),
        state: i === 7 ? 'online' : 'pending',
      }),
    )
  device = await addDevice(api.database, west, nodes[0] ?? 0)
})
afterAll(() => api.stop())

interface Row {
  readonly id: number
  readonly hostname: string
}
const list = async (query: string) => (await api.get(`/api/v1/nodes/?${query}`)).body
const names = async (query: string) => (await list(`limit=0&${query}`)).objects.map((row: Row) => row.hostname)
const count = async (query: string) => (await list(query)).meta.total_count
const refused = async (query: string) => {
  const { status, body } = await api.get(`/api/v1/nodes/?${query}`)
  return [status, body.error]
}

describe('limit and offset', () => {
  it('are 20 and 0 where nothing is said', async () => {
    const { meta, objects } = await list('')
    expect(meta).toMatchObject({ limit: 20, offset: 0, total_count: 25, previous: null })
    expect(objects).toHaveLength(20)
  })

  it('of 0, or above 1000, mean 1000, which meta.limit tells', async () => {
    for (const limit of ['0', '1001', '99999999999999999999', '1000'])
      expect((await list(`limit=${limit}`)).meta.limit).toBe(1000)
    expect((await list('limit=999')).meta.limit).toBe(999)
  })

  it('that are bad are 400 with the words of the predecessor', async () => {
    expect(await refused('limit=x')).toEqual([400, "Invalid limit 'x' provided. Please provide a positive integer."])
    expect(await refused('limit=-1')).toEqual([
      400,
      "Invalid limit '-1' provided. Please provide a positive integer >= 0.",
    ])
    expect(await refused('offset=x')).toEqual([400, "Invalid offset 'x' provided. Please provide an integer."])
    expect(await refused('offset=-1')).toEqual([
      400,
      "Invalid offset '-1' provided. Please provide a positive integer >= 0.",
    ])
  })

  it('past the end are 200 without objects', async () => {
    for (const offset of [25, 1000, 99999999999]) expect((await list(`offset=${offset}`)).objects).toEqual([])
  })
})

describe('meta.next and meta.previous', () => {
  it('are path and query alone: the other parameters in their order, then limit, then offset', async () => {
    const { meta } = await list('offset=5&enabled__in=true%2Cfalse&limit=5&format=json&order_by=-id')
    const kept = '/api/v1/nodes/?enabled__in=true%2Cfalse&format=json&order_by=-id'
    expect(meta.next).toBe(`${kept}&limit=5&offset=10`)
    expect(meta.previous).toBe(`${kept}&limit=5&offset=0`)
  })

  it('are null at the ends', async () => {
    expect((await list('limit=5&offset=20')).meta.next).toBeNull()
    expect((await list('limit=5&offset=19')).meta.next).not.toBeNull()
    expect((await list('limit=5&offset=4')).meta.previous).toBeNull()
    expect((await list('limit=5&offset=5')).meta.previous).not.toBeNull()
  })

  it('lead through all rows, each once', async () => {
    const seen: number[] = []
    for (let next = '/api/v1/nodes/?limit=4'; next !== null;) {
      const { body } = await api.get(next)
      seen.push(...body.objects.map((row: Row) => row.id))
      next = body.meta.next
    }
    expect(seen).toEqual(nodes)
  })
})

describe('the order', () => {
  it('is by id where nothing is said', async () => {
    expect((await list('limit=0')).objects.map((row: Row) => row.id)).toEqual(nodes)
  })

  it('is by order_by, and by -order_by backwards', async () => {
    const sorted = Array.from({ length: 25 }, (_, i) => `node-${String(i).padStart(2, '0')}`)
    expect(await names('order_by=hostname')).toEqual(sorted)
    expect(await names('order_by=-hostname')).toEqual(sorted.toReversed())
  })

  it('takes several fields, and breaks ties by the id', async () => {
    const rows = (await list('limit=0&order_by=-cpu_cores&order_by=cluster')).objects
    const wanted = rows.toSorted(
      (a: Row & { cpu_cores: number; cluster: string }, b: Row & { cpu_cores: number; cluster: string }) =>
        b.cpu_cores - a.cpu_cores || a.cluster.localeCompare(b.cluster) || a.id - b.id,
    )
    expect(rows).toEqual(wanted)
  })

  it('by an unknown field is 400', async () => {
    expect(await refused('order_by=nothing')).toEqual([400, "No matching 'nothing' field for ordering on."])
    expect(await refused('order_by=-other_ips')).toEqual([400, "No matching 'other_ips' field for ordering on."])
  })
})

describe('filters', () => {
  it('are field and field__exact', async () => {
    expect(await names('hostname=node-03')).toEqual(['node-03'])
    expect(await names('hostname__exact=node-03')).toEqual(['node-03'])
    expect(await names('hostname=NODE-03')).toEqual([])
    expect(await names(`id=${nodes[2]}`)).toEqual(['node-02'])
    expect(await names('state=online')).toEqual(['node-07'])
  })

  it('are field__in with commas, or repeated', async () => {
    expect(await names('hostname__in=node-03,node-05')).toEqual(['node-03', 'node-05'])
    expect(await names('hostname__in=node-03&hostname__in=node-05')).toEqual(['node-03', 'node-05'])
    expect(await names(`id__in=${nodes[0]},${nodes[1]},99999999999`)).toEqual(['node-00', 'node-01'])
    expect(await names('hostname__in=')).toEqual([])
  })

  it('go through a relation', async () => {
    expect(await count('cluster__name=west')).toBe(5)
    expect(await count(`cluster__id=${west}`)).toBe(5)
    expect(await count('cluster__name__in=west,east')).toBe(25)
    const { uuid } = (await api.get(`/api/v1/clusters/${west}/`)).body
    expect(await count(`cluster__uuid=${uuid}`)).toBe(5)
    const devices = async (query: string) => (await api.get(`/api/v1/devices/?${query}`)).body.objects
    expect((await devices('node__hostname=node-00'))[0].id).toBe(device)
    expect((await devices(`node__id=${nodes[0]}`))[0].id).toBe(device)
    expect(await devices('node__hostname=node-01')).toEqual([])
  })

  it('on cluster and node take an id, a resource URI or a URL of this server', async () => {
    for (const value of [
      `${west}`,
      `/api/v1/clusters/${west}/`,
      `/api/v1/clusters/${west}`,
      `${api.url}/api/v1/clusters/${west}/`,
    ])
      expect(await count(`cluster=${encodeURIComponent(value)}`)).toBe(5)
    expect(await count('cluster=999')).toBe(0)
    const devices = await api.get(`/api/v1/devices/?node=/api/v1/nodes/${nodes[0]}/`)
    expect(devices.body.meta.total_count).toBe(1)
  })

  it('all hold together, and of a repeated plain key the last wins', async () => {
    expect(await names('cluster__name=west&hostname=node-05')).toEqual(['node-05'])
    expect(await names('cluster__name=west&hostname=node-06')).toEqual([])
    expect(await names('hostname=node-01&hostname=node-02')).toEqual(['node-02'])
  })

  it('that are no field are ignored', async () => {
    expect(await count('nothing=1&foo__bar=2&_=123&username=x')).toBe(25)
  })

  it('on a field that cannot be filtered are 400', async () => {
    expect(await refused('last_seen=1')).toEqual([400, "The 'last_seen' field does not allow filtering."])
    expect(await refused('other_ips__in=10.0.0.1')).toEqual([400, "The 'other_ips' field does not allow filtering."])
    expect((await refused('hostname__contains=x'))[0]).toBe(400)
    expect((await refused('cluster__secret=x'))[0]).toBe(400)
  })

  it('with a value of the wrong type are 400', async () => {
    const mismatch = [400, 'Invalid resource lookup data provided (mismatched type).']
    const wrong = [
      'id=x',
      'id=1.5',
      'id__in=1,x',
      'enabled=yes',
      'uuid=1',
      'cluster=x',
      'ram_gb=big',
      'cpu_cores=',
      'hostname=%00',
    ]
    for (const query of [...wrong, 'cluster=/api/v1/nodes/1/', 'cluster=https://elsewhere.example/api/v1/clusters/1/'])
      expect([query, ...(await refused(query))]).toEqual([query, ...mismatch])
  })

  it('on booleans take true, True, 1, false, False and 0', async () => {
    for (const value of ['true', 'True', '1']) expect(await count(`enabled=${value}`)).toBe(13)
    for (const value of ['false', 'False', '0']) expect(await count(`enabled=${value}`)).toBe(12)
    expect(await count('enabled__in=true,false')).toBe(25)
  })
})

it('headers up to 64 KiB and path parameters up to 512 bytes are accepted', async () => {
  expect((await api.get('/api/v1/clusters/', { 'x-long': 'x'.repeat(60_000) })).status).toBe(200)
  expect((await api.get(`/api/v1/nodes/?hostname=${'x'.repeat(50_000)}`)).status).toBe(200)
  expect((await api.get(`/api/v1/clusters/set/${encodeURIComponent('ü'.repeat(256))}/`)).body.not_found).toHaveLength(1)
  expect((await api.get('/nothing', { 'x-long': 'x'.repeat(70_000) })).status).toBe(431)
})

describe('while rows come', () => {
  it('an id becomes visible only after every smaller one', async () => {
    const { clusters } = api.context.services
    const steps = new EventEmitter()
    const [release, inserted] = [once(steps, 'release'), once(steps, 'inserted')]
    const slow = api.database.prisma.$transaction(
      async (tx) => {
        await lockInserts(tx, 'clusters')
        await tx.cluster.create({ data: { name: 'slow' } })
        steps.emit('inserted')
        await release
      },
      { maxWait: waitTimeoutMs, timeout: waitTimeoutMs },
    )
    onTestFinished(async () => {
      steps.emit('release')
      await slow
    })
    await inserted
    const quick = clusters.create({ name: 'quick' }, testCaller)
    const visible = async () => (await api.get('/api/v1/clusters/?limit=0')).body.objects.map((row: Row) => row.id)
    await expect(Promise.race([quick, sleep(300, 'waiting')])).resolves.toBe('waiting')
    const before = await visible()
    steps.emit('release')
    await slow
    const { id } = await quick
    const after = await visible()
    expect(after.slice(before.length)).toEqual([id - 1, id])
  })

  it('no row is skipped or seen twice by who follows next', async () => {
    const { clusters } = api.context.services
    const there = (await api.get('/api/v1/clusters/?limit=0')).body.objects.map((row: Row) => row.id)
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < 15; i++) await clusters.create({ name: `w${writer}-${i}` }, testCaller)
    })
    const walk = async () => {
      const seen: number[] = []
      for (let next: string | null = '/api/v1/clusters/?limit=3'; next !== null;) {
        const { body } = await api.get(next)
        seen.push(...body.objects.map((row: Row) => row.id))
        next = body.meta.next
      }
      return seen
    }
    const walks = await Promise.all([walk(), walk(), walk(), ...writers.map((writer) => writer.then(() => []))])
    for (const seen of walks.slice(0, 3)) {
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b))
      expect(seen).toEqual(expect.arrayContaining(there))
    }
    expect(await walk()).toHaveLength(there.length + 60)
  })
})
