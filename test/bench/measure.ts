import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Milliseconds of each run, after some that warm up. */
export async function timesOf(runs: number, work: () => unknown, warmUp = Math.ceil(runs / 5)): Promise<number[]> {
  const times: number[] = []
  for (let i = -warmUp; i < runs; i++) {
    const start = performance.now()
    await work()
    if (i >= 0) times.push(performance.now() - start)
  }
  return times
}

/** Milliseconds of CPU that each run takes on average in this process. */
export function cpuMsOf(runs: number, work: () => unknown): number {
  for (let i = 0; i < Math.ceil(runs / 5); i++) work()
  const start = process.cpuUsage()
  for (let i = 0; i < runs; i++) work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000 / runs
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU seconds of a process so far, those of its children that have ended included. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / ticksPerSecond
}

/** Milliseconds of CPU of a process's main thread alone, to the nanosecond: what a loop did in a short time. */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

/** The CPU seconds of a process with those of the processes that it has now, and theirs. */
export function cpuSecondsOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return (
    cpuSeconds(pid) +
    (children === '' ? [] : children.split(' ')).reduce((sum, child) => sum + cpuSecondsOfAll(Number(child)), 0)
  )
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kilobytes) * 1024) / 1e6
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the MB that this process uses after garbage was collected, on the heap and beside it. */
export async function usedMb(): Promise<number> {
  // Memory beside the heap is given back a while after its owner is gone.
  for (let i = 0; i < 5; i++) {
    collectGarbage()
    await sleep(50)
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}
