import { parentPort, workerData } from 'node:worker_threads'
import { mainThreadCpuMs } from './measure.js'
import { createReader } from './reader.js'

export interface WaiterOrder {
  /** Of the control plane. */
  readonly pid: number
  readonly url: string
  readonly keys: readonly string[]
  readonly path: string
}

/** Both in milliseconds; they may be of two different waits. */
export interface Waited {
  readonly longest: number
  /** The most that the control plane itself worked during one wait: the rest, the machine let it and us wait. */
  readonly mostCpu: number
}

/** Sends the same small request again and again until it is stopped, and returns the longest wait. */
const { pid, url, keys, path } = workerData as WaiterOrder
const port = parentPort as NonNullable<typeof parentPort>
const reader = createReader(url, keys)
const state = { stopped: false }
let longest = 0
let mostCpu = 0

port.on('message', () => {
  state.stopped = true
})
for (let i = 0; i < 20; i++) await reader.read(path)
port.postMessage('ready')
while (!state.stopped) {
  const start = performance.now()
  const cpuBefore = mainThreadCpuMs(pid)
  await reader.read(path)
  longest = Math.max(longest, performance.now() - start)
  mostCpu = Math.max(mostCpu, mainThreadCpuMs(pid) - cpuBefore)
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await reader.close()
port.postMessage({ longest, mostCpu } satisfies Waited)
port.close()
