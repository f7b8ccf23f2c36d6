import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { insertNodes } from '../support/agents/nodes.js'
import { cpuSeconds, mainThreadCpuMs, median, residentMb } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import type { RogueOrder, RoguesSent } from './rogue-worker.js'
import { openStage, sharedNames } from './stage.js'
import type { Stage } from './stage.js'

const watchedMs = 30_000
const rogues = 10
const requestEveryMs = 10

/** What clients notice of agents that send all they can. */
export async function benchRogues(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const { clusterId } = await stage.addFleet(100, [sharedNames])
    await watch(stage, 5_000)
    const rest = await watch(stage, watchedMs)
    const identities = await insertNodes(stage.database, clusterId, rogues)
    const workerData: RogueOrder = {
      url: stage.controlPlane.url,
      identities: identities.map(({ uuid, privateKey }) => ({ uuid, privateKey })),
    }
    const worker = new Worker(new URL('rogue-worker.js', import.meta.url), { workerData })
    await once(worker, 'message')
    const busy = await watch(stage, watchedMs)
    worker.postMessage('stop')
    const [sent] = (await once(worker, 'message')) as [RoguesSent]
    return [
      { ...row('p99 of a page of 20 nodes at rest', rest.p99, 'ms', null), cpuMs: rest.cpuP99 },
      { ...row(`p99 with ${rogues} rogue agents`, busy.p99, 'ms', null), cpuMs: busy.cpuP99 },
      row('the same, times that at rest', busy.p99 / rest.p99, 'times', atMost(3)),
      row('memory at rest', rest.memory, 'MB', null),
      row(`memory with ${rogues} rogue agents, times that at rest`, busy.memory / rest.memory, 'times', atMost(1.5)),
      row('CPU at rest', rest.cpu, '% of a core', null),
      row(`CPU with ${rogues} rogue agents`, busy.cpu, '% of a core', null),
      row('messages that they sent, each second', sent.messages / sent.seconds, '', null),
      row('sessions that they began, each second', sent.sessions / sent.seconds, '', null),
      row('lines of the log', stage.controlPlane.output().split('\n').length, 'lines', atMost(1_000)),
    ]
  } finally {
    await stage.close()
  }
}

interface Watched {
  /** Milliseconds by the clock, and of the control plane's main thread while the client waited. */
  readonly p99: number
  readonly cpuP99: number
  /** MB. */
  readonly memory: number
  /** Percent of a core. */
  readonly cpu: number
}

async function watch(stage: Stage, forMs: number): Promise<Watched> {
  const { pid } = stage.controlPlane
  const reader = stage.reader()
  const times: number[] = []
  const cpuTimes: number[] = []
  const memory: number[] = []
  const begun = performance.now()
  const cpuBefore = cpuSeconds(pid)
  while (performance.now() - begun < forMs) {
    const [start, cpuStart] = [performance.now(), mainThreadCpuMs(pid)]
    await reader.read('/api/v1/nodes/?limit=20')
    times.push(performance.now() - start)
    cpuTimes.push(mainThreadCpuMs(pid) - cpuStart)
    memory.push(residentMb(pid))
    await sleep(requestEveryMs)
  }
  const cpu = ((cpuSeconds(pid) - cpuBefore) / ((performance.now() - begun) / 1000)) * 100
  await reader.close()
  return { p99: p99Of(times), cpuP99: p99Of(cpuTimes), memory: median(memory), cpu }
}

function p99Of(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0
}
