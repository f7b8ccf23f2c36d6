import { createClient } from '@roost/api-types'
import { median, timesOf } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage } from './stage.js'
import type { Stage } from './stage.js'
import { createWriter } from './writer.js'
import type { Request, Writer } from './writer.js'
import { insertNodes } from '../support/agents/nodes.js'

const rows = 100_000
const perCluster = 4_000
const perNode = 10_000
const perSecond = 100
const p99LimitMs = 50

/** Lists, details, creations and changes of users and shares where there are 100,000 of each. */
export async function benchRecords(): Promise<readonly Row[]> {
  const stage = await openStage()
  const writer = createWriter(stage.controlPlane.url, stage.keys)
  try {
    const { users, shares } = await fill(stage)
    const answer: Row[] = []
    for (const [what, request] of [...requestsOf('users', users), ...requestsOf('gateway_shares', shares)])
      answer.push(...(await measure(writer, what, request)))
    return [...answer, ...(await compareFaces(stage, users))]
  } finally {
    await writer.close()
    await stage.close()
  }
}

interface Table {
  readonly first: number
  /** Where new records go: it holds none yet. */
  readonly room: number
  /** One of those with records. */
  readonly cluster: number
  readonly body: (parent: number, n: number) => object
}

/** Rows as the API would have made them, by the database's own hand: 25 clusters of users, 10 nodes of shares. */
async function fill({ database }: Stage): Promise<{ readonly users: Table; readonly shares: Table }> {
  const { pool, prisma } = database
  const clusters = await prisma.cluster.createManyAndReturn({
    data: Array.from({ length: rows / perCluster + 1 }, (_, i) => ({ name: `records ${i}` })),
  })
  const ids = clusters.map(({ id }) => id)
  const [cluster = 0] = ids
  const room = ids.at(-1) ?? 0
  await pool.query(
    `insert into users (cluster_id, name, name_key, line_key, password, is_superuser, enabled)
     select ($1::int[])[1 + i / $2], 'user' || i, 'user' || i, 'user_user' || i || '_user' || i, '\\x00', false, true
     from generate_series(0, $3 - 1) i`,
    [ids, perCluster, rows],
  )
  const nodes = (await insertNodes(database, cluster, rows / perNode + 1)).map(({ id }) => id)
  await prisma.nodeRole.updateMany({ where: { nodeId: { in: nodes } }, data: { runsGateway: true } })
  await pool.query(
    `insert into gateway_shares (node_id, cluster_id, name, name_key, protocol, container, access_mode, enabled, upload_delay,
       write_retain, no_apple_doubles, clients_allowed_list, options, export_number)
     select ($1::int[])[1 + i / $2], $3, 'share' || i, 'share' || i, 'nfs', 'container', 'rw', true, 0,
       true, true, '10.0.0.0/8', '{"root_squash": false, "secure": false}', 1 + i % $2
     from generate_series(0, $4 - 1) i`,
    [nodes, perNode, cluster, rows],
  )
  await pool.query('vacuum analyze users, gateway_shares')
  const first = async (table: 'user' | 'gatewayShare') =>
    (table === 'user' ? await prisma.user.findFirst() : await prisma.gatewayShare.findFirst())?.id ?? 0
  return {
    users: {
      first: await first('user'),
      room,
      cluster,
      body: (parent, n) => ({ cluster: parent, user: `new${n}`, password: 'correct-horse-battery-staple' }),
    },
    shares: {
      first: await first('gatewayShare'),
      room: nodes.at(-1) ?? 0,
      cluster,
      body: (parent, n) => ({ node: parent, name: `new${n}`, objectstore_container: 'container', protocol: 'cifs' }),
    },
  }
}

function requestsOf(resource: string, table: Table): readonly (readonly [string, (n: number) => Request])[] {
  const path = `/api/v1/${resource}/`
  // Spread over the whole table, as no two clients ask for the same.
  const some = (n: number) => `${path}${table.first + ((n * 7_919) % rows)}/`
  return [
    [`list of ${resource}, 20 of 100,000`, () => ({ method: 'GET', path: `${path}?limit=20` })],
    [`list of ${resource} of a cluster`, () => ({ method: 'GET', path: `${path}?limit=20&cluster=${table.cluster}` })],
    [`detail of ${resource}`, (n) => ({ method: 'GET', path: some(n) })],
    [`create ${resource}`, (n) => ({ method: 'POST', path, body: table.body(table.room, n) })],
    [`change ${resource}`, (n) => ({ method: 'PATCH', path: some(n), body: { enabled: n % 2 === 0 } })],
  ]
}

let count = 0

/** Latency where 100 requests come each second, whatever becomes of them; and how many eight clients get done. */
async function measure(writer: Writer, what: string, request: (n: number) => Request): Promise<readonly Row[]> {
  const next = () => request(count++)
  await writer.flood(8, 200, next)
  const times = (await writer.atRate(perSecond, 500, next)).toSorted((a, b) => a - b)
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0
  return [
    row(`${what}, p50 at ${perSecond}/s`, median(times), 'ms', null),
    row(`${what}, p99 at ${perSecond}/s`, p99, 'ms', atMost(p99LimitMs)),
    row(`${what}, eight clients`, await writer.flood(8, 1_000, next), 'requests/s', null),
  ]
}

/** The same read over both transports, one after the other on one connection each. */
async function compareFaces({ controlPlane, keys }: Stage, { first, cluster }: Table): Promise<readonly Row[]> {
  const writer = createWriter(controlPlane.url, keys)
  const clients = keys.map((apiKey) => createClient({ url: controlPlane.url, apiKey }))
  const rpc = () => clients[count++ % clients.length]?.rpc.users
  try {
    const read = (path: string) => writer.send({ method: 'GET', path })
    const detail = median(await timesOf(1_000, () => read(`/api/v1/users/${first}/`)))
    const rpcDetail = median(await timesOf(1_000, () => rpc()?.get.query({ id: first })))
    const list = median(await timesOf(500, () => read(`/api/v1/users/?cluster=${cluster}&limit=20`)))
    const rpcList = median(await timesOf(500, () => rpc()?.list.query({ filters: { cluster }, limit: 20 })))
    return [
      row('detail of a user by REST, p50', detail, 'ms', null),
      row('the same by tRPC, p50', rpcDetail, 'ms', null, { REST: detail }),
      row('list of the users of a cluster by REST, p50', list, 'ms', null),
      row('the same by tRPC, p50', rpcList, 'ms', null, { REST: list }),
    ]
  } finally {
    await writer.close()
    for (const client of clients) await client.close()
  }
}
