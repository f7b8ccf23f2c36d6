import { parentPort, workerData } from 'node:worker_threads'
import { createReader } from './reader.js'

/** Asks the same small thing again and again until it is told to stop, and answers the longest time that it waited, in ms. */
const { url, keys, path } = workerData as { url: string; keys: readonly string[]; path: string }
const port = parentPort as NonNullable<typeof parentPort>
const reader = createReader(url, keys)
const state = { stopped: false }
let longest = 0

port.on('message', () => {
  state.stopped = true
})
for (let i = 0; i < 20; i++) await reader.read(path)
port.postMessage('ready')
while (!state.stopped) {
  const start = performance.now()
  await reader.read(path)
  longest = Math.max(longest, performance.now() - start)
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await reader.close()
port.postMessage(longest)
port.close()
