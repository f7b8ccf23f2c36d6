import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@roost/runtime'
import { createStatsd } from '@roost/node-agent/dist/collectors/swift/statsd.js'
import { StatsdFold } from '@roost/node-agent/dist/collectors/swift/statsd-fold.js'
import { repository } from '../support/http/control-plane.js'
import { cpuMsOf } from './measure.js'
import { row } from './report.js'
import type { Row } from './report.js'

const datagrams = 200_000
/** Slow enough that the kernel's buffer never fills, so that the work is the same for everybody. */
const perSecond = 20_000

/** What Swift's servers send, from another process to the agent's socket: every name that a real cluster has sent, as often. */
export async function benchStatsd(): Promise<readonly Row[]> {
  const lines = sentByCluster()
  const statsd = createStatsd({
    isWanted: () => true,
    address: '127.0.0.1',
    port: 0,
    maxNames: 1_000,
    clock: systemClock,
    problems: { set: () => {} },
  })
  try {
    await statsd.read()
    const start = process.cpuUsage()
    await sendAll(statsd.port ?? 0, lines)
    const { user, system } = process.cpuUsage(start)
    const cpu = (user + system) / 1e6
    const measurements = await statsd.read()
    const received = measurements.find(({ name }) => name === 'roost.statsd.datagrams')?.value ?? 0
    return [
      row('datagrams received', received / cpu, 'per second of one core', null, { 'collectd 5.12': 470_000 }),
      row('of those that were sent', (received / datagrams) * 100, '%', null),
      row(
        'folding without the socket',
        (1000 / cpuMsOf(5, () => fold(lines, 100_000))) * 100_000,
        'per second of one core',
        null,
      ),
      row('a reading of all names', readingMs(lines), 'ms CPU', null),
    ]
  } finally {
    statsd.close()
  }
}

/** The sender is a process of its own, whose CPU does not count. */
async function sendAll(port: number, lines: readonly string[]): Promise<void> {
  const worker = fileURLToPath(new URL('statsd-worker.js', import.meta.url))
  const numbers = [port, datagrams, perSecond].map(String)
  await once(spawn(process.execPath, [worker, ...numbers, ...lines], { stdio: 'inherit' }), 'close')
  await sleep(500)
}

function fold(lines: readonly string[], times: number): StatsdFold {
  const datagrams = lines.map((line) => Buffer.from(line))
  const fold = new StatsdFold(1_000, 0)
  for (let i = 0; i < times; i++) fold.add(datagrams[i % datagrams.length] as Buffer)
  return fold
}

/** Every name has been heard of since the reading before. */
function readingMs(lines: readonly string[]): number {
  const folds = Array.from({ length: 120 }, () => fold(lines, lines.length))
  return cpuMsOf(100, () => folds.pop()?.read(10_000))
}

/** One line for each that the cluster of the fixture has sent, the names mixed. */
function sentByCluster(): readonly string[] {
  const file = join(repository, 'apps/node-agent/src/collectors/swift/fixtures/swift-2.30/sent.txt')
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const lines = rows.flatMap(([name, type = '', times]) =>
    Array.from(
      { length: Number(times) },
      (_, i) => `${name}:${type.startsWith('|ms') ? 0.1234567 * (i + 1) : 1}${type}`,
    ),
  )
  // A step that has no factor in common with their number visits each of them once.
  return lines.map((_, i) => lines[(i * 1_009) % lines.length] as string)
}
