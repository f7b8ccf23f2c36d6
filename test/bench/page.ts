import { median, timesOf } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { createReader } from './reader.js'
import { openStage } from './stage.js'
import { insertNodes } from '../support/agents/nodes.js'

const rows = 100_000
const runs = 200

/** A page of devices by REST beside the two queries that it needs, run by themselves. */
export async function benchPage(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const { pool, prisma } = stage.database
    const { id: clusterId } = await prisma.cluster.create({ data: { name: 'pages' } })
    const [node] = await insertNodes(stage.database, clusterId, 1)
    await pool.query(
      `insert into devices (cluster_id, node_id, name, agent_key, status)
       select $1, $2, 'd' || i, 'd' || i, 'ok' from generate_series(1, $3) i`,
      [clusterId, node?.id, rows],
    )
    await pool.query('vacuum analyze devices')
    // No more keys than the rate takes: credentials are remembered for 2 s, which is what a client of that rate gets.
    const reader = createReader(stage.controlPlane.url, stage.keys.slice(0, 5))
    const page = median(await timesOf(runs, () => reader.read('/api/v1/devices/?limit=20')))
    const filtered = median(await timesOf(runs, () => reader.read(`/api/v1/devices/?limit=20&cluster=${clusterId}`)))
    const bare = median(
      await timesOf(runs, () =>
        Promise.all([
          pool.query('select * from devices order by id limit 20'),
          pool.query('select count(*) from devices'),
        ]),
      ),
    )
    await reader.close()
    return [
      row('the two queries by themselves', bare, 'ms', null, { 'PostgreSQL 15': 4.5, 'embedded 18.4': 4.1 }),
      row('a page of devices', page, 'ms', atMost(bare * 1.3), { 'the two queries': bare }),
      row('a page of the devices of one cluster', filtered, 'ms', null, { 'the two queries': bare }),
    ]
  } finally {
    await stage.close()
  }
}
