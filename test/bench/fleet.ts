import { setTimeout as sleep } from 'node:timers/promises'
import { benchDeviceUsage } from './device-usage.js'
import { cpuSeconds, median, residentMb, timesOf } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage, sharedNames } from './stage.js'

const watchedMs = 40_000

/** What a connected fleet costs the control plane, and what a caller notices of it. */
export async function benchFleet(): Promise<readonly Row[]> {
  return [...(await benchAgents()), ...(await benchDeviceUsage())]
}

async function benchAgents(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const { pid } = stage.controlPlane
    await sleep(3_000)
    const before = residentMb(pid)
    await stage.addFleet(1000, [sharedNames])
    await sleep(5_000)
    const cpuBefore = cpuSeconds(pid)
    const memory: number[] = []
    for (const end = performance.now() + watchedMs; performance.now() < end; await sleep(1_000))
      memory.push(residentMb(pid))
    const share = ((cpuSeconds(pid) - cpuBefore) / (watchedMs / 1000)) * 100
    const reader = stage.reader()
    const times = (await timesOf(1000, () => reader.read('/api/v1/nodes/?limit=20'))).toSorted((a, b) => a - b)
    await reader.close()
    return [
      row('memory of the control plane', median(memory), 'MB', atMost(200), { 'ws alone, 5,000 idle': 93 }),
      row('of that, per 1,000 agents', median(memory) - before, 'MB', null, { 'ws alone, 1,000 idle': 55 }),
      row('CPU', share, '% of a core', atMost(5), { 'ws alone, 5,000 idle with pings': 1.5 }),
      row('p99 of a page of 20 nodes meanwhile', times[Math.ceil(times.length * 0.99) - 1] ?? 0, 'ms', atMost(500)),
    ]
  } finally {
    await stage.close()
  }
}
