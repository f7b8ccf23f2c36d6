import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { insertNodes } from '../support/agents/nodes.js'
import { cpuSeconds } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage } from './stage.js'

const nodes = 10_000
const subscribers = 20
const changedEachTime = 100
const times = 10

/** Measures what the subscribers of `nodes.states` receive, and what they cost, while 1 % of the nodes change each second. */
export async function benchStates(): Promise<readonly Row[]> {
  const stage = await openStage()
  const { database, controlPlane, keys } = stage
  const dispatcher = new Agent()
  try {
    const { id: clusterId } = await database.prisma.cluster.create({ data: { name: 'states' } })
    await insertNodes(database, clusterId, nodes)
    const received = keys.slice(0, subscribers).map((key) => subscribe(controlPlane, key, dispatcher))
    while (received.some(({ bytes }) => bytes < nodes * 50)) await sleep(100)
    await sleep(2_000)
    const first = total(received)
    const cpu = cpuSeconds(controlPlane.pid)
    for (let i = 0; i < times; i += 1) {
      await database.pool.query(
        "update nodes set state = case state when 'stale' then 'offline' else 'stale' end where id % $1 = $2",
        [nodes / changedEachTime, i],
      )
      await sleep(1_100)
    }
    const used = ((cpuSeconds(controlPlane.pid) - cpu) / (times * 1.1)) * 100
    const changes = (total(received) - first) / received.length / times
    return [
      row('the first message of nodes.states, 10,000 nodes', first / received.length / 1000, 'kB', null),
      row('the change of 100 nodes', changes / 1000, 'kB', atMost(10)),
      row(`CPU of the control plane with ${received.length} subscribers`, used, '% of a core', null),
    ]
  } finally {
    await dispatcher.destroy()
    await stage.close()
  }
}

interface Received {
  bytes: number
}

function subscribe({ url }: { readonly url: string }, key: string, dispatcher: Agent): Received {
  const received = { bytes: 0 }
  const read = async () => {
    const headers = { authorization: `apikey ${key}` }
    const { body } = await request(`${url}/trpc/nodes.states`, { headers, dispatcher })
    for await (const chunk of body) received.bytes += (chunk as Buffer).length
  }
  void read().catch(() => {})
  return received
}

function total(all: readonly Received[]): number {
  return all.reduce((sum, { bytes }) => sum + bytes, 0)
}
