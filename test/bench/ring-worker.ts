import { readFileSync } from 'node:fs'
import { readRing } from '@roost/node-agent/dist/swift/rings/ring.js'

// Reads one ring as the agent does, and says what it cost: node ring-worker.js FILE
const before = process.cpuUsage()
const rssBefore = process.memoryUsage.rss()
const start = performance.now()
const ring = await readRing(readFileSync(process.argv[2] ?? ''))
const { user, system } = process.cpuUsage(before)
console.log(
  JSON.stringify({
    devices: ring.devices.length,
    partitions: ring.partitions,
    seconds: (performance.now() - start) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    // maxRSS is in kibibytes.
    megabytes: (process.resourceUsage().maxRSS * 1_024 - rssBefore) / 1e6,
  }),
)
