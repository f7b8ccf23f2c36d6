import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'

// Sends what a cluster of Swift sends, at the given rate: node statsd-worker.js PORT DATAGRAMS PER_SECOND LINE…
const [port = 0, datagrams = 0, perSecond = 0] = process.argv.slice(2, 5).map(Number)
const lines = process.argv.slice(5).map((line) => Buffer.from(line))
const batch = 200

const socket = createSocket('udp4')
const start = performance.now()
for (let sent = 0; sent < datagrams; sent += batch) {
  await Promise.all(Array.from({ length: batch }, (_, i) => send(lines[(sent + i) % lines.length] as Buffer)))
  const ahead = start + (sent / perSecond) * 1000 - performance.now()
  if (ahead > 1) await sleep(ahead)
}
socket.close()

function send(line: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(line, port, '127.0.0.1', (error) => (error ? reject(error) : resolve()))
  })
}
