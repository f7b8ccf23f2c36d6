import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sampleDevice } from '@roost/node-agent/dist/inventory/testing/sample-device.js'
import { openMachine } from '@roost/node-agent/dist/machine/machine.js'
import { runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { readPlacement } from '@roost/node-agent/dist/swift/rings/ring.js'
import { accessLineParser } from '@roost/node-agent/dist/swift/access-log/access-line.js'
import { createAccountUsage } from '@roost/node-agent/dist/swift/accounts/account-usage.js'
import { repository } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import { cpuMsOf } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'

const agent = join(repository, 'apps/node-agent/src')
const accounts = 10_000

/** Swift's own files at the size of a large cluster: a ring, the accounts of a node, a proxy's log. */
export async function benchSwift(): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'roost-bench-swift-'))
  try {
    return [...(await ringRows(dir)), ...(await accountRows(dir)), logRow()]
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function ringRows(dir: string): Promise<readonly Row[]> {
  const file = join(dir, 'large.ring.gz')
  writeFileSync(file, largeRing(10_000, 20))
  const worker = fileURLToPath(new URL('ring-worker.js', import.meta.url))
  const { stdout, stderr } = await runToEnd(process.execPath, [worker, file])
  if (stdout === '') throw new Error(stderr)
  const { seconds, cpuSeconds, megabytes } = JSON.parse(stdout) as Record<string, number>
  return [
    {
      ...row('a ring of 10,000 devices and 2^20 partitions', seconds ?? 0, 's', atMost(2)),
      cpuMs: (cpuSeconds ?? 0) * 1e3,
    },
    row('memory that it takes', megabytes ?? 0, 'MB', atMost(200)),
  ]
}

/** Three replicas, little-endian, as `swift-ring-builder` writes it. */
function largeRing(devices: number, partPower: number): Uint8Array {
  const devs = Array.from({ length: devices }, (_, id) => ({
    id,
    device: `d${id % 60}`,
    ip: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}`,
    port: 6200,
    replication_ip: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}`,
    replication_port: 6200,
    region: 1,
    zone: id % 5,
    weight: 100,
    meta: '',
  }))
  const header = { byteorder: 'little', devs, part_shift: 32 - partPower, replica_count: 3, version: 1 }
  const json = Buffer.from(JSON.stringify(header))
  const start = Buffer.alloc(10)
  start.write('R1NG', 'latin1')
  start.writeUInt16BE(1, 4)
  start.writeUInt32BE(json.length, 6)
  const table = Uint16Array.from({ length: 3 * 2 ** partPower }, (_, i) => (i * 7919) % devices)
  return gzipSync(Buffer.concat([start, json, Buffer.from(table.buffer)]), { level: 1 })
}

async function accountRows(dir: string): Promise<readonly Row[]> {
  const lab = join(agent, 'inventory/fixtures/lab/etc/swift')
  const ring = readFileSync(join(lab, 'account.ring.gz'))
  mkdirSync(join(dir, 'etc/swift'), { recursive: true })
  writeFileSync(join(dir, 'etc/swift/account.ring.gz'), ring)
  const [placement] = await readPlacement(ring, ({ device }) => device === 'd1')
  const partitions = [...(placement?.has ?? [])].flatMap((has, partition) => (has === 1 ? partition : []))
  writeAccounts(join(dir, 'srv/node/d1/accounts'), partitions)
  const usage = createAccountUsage({
    machine: openMachine(dir),
    ringDirectory: '/etc/swift',
    run: runCommand,
    devices: () => [device],
    deadlineMs: 600_000,
  })
  await usage.sample()
  const before = [process.cpuUsage(), childrenCpuMs()] as const
  const sample = await usage.sample()
  const own = process.cpuUsage(before[0])
  if (sample?.databases !== accounts) throw new Error(`${sample?.databases} databases: ${sample?.faults.join(' ')}`)
  const child = childrenCpuMs() - before[1]
  return [
    // Python's sqlite3 in one process over the same files: `select * from account_stat` and `policy_stat`.
    row(`a pass over ${accounts} account databases`, child, 'ms CPU of its process', null, { 'Python sqlite3': 2_280 }),
    row('of that, to take its answer in', (own.user + own.system) / 1e3, 'ms CPU of the agent', null),
    row('of a core, once in ten minutes', (child / 600_000) * 100, '%', atMost(1)),
  ]
}

const device = sampleDevice('d1', '127.0.2.1')

/** As Swift made one of them, under so many names. */
function writeAccounts(folder: string, partitions: readonly number[]): void {
  const one = gunzipSync(readFileSync(join(agent, 'swift/accounts/fixtures/account-db/two-policies.db.gz')))
  const offsets: number[] = []
  for (let at = one.indexOf('AUTH_test'); at !== -1; at = one.indexOf('AUTH_test', at + 1)) offsets.push(at)
  for (let i = 0; i < accounts; i++) {
    const name = `A${String(i).padStart(8, '0')}`
    const hash = createHash('md5').update(name).digest('hex')
    const directory = join(folder, String(partitions[i % partitions.length]), hash.slice(-3), hash)
    for (const at of offsets) one.write(name, at, 'latin1')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, `${hash}.db`), one)
  }
}

/** Of processes that have ended, in ticks of 10 ms. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

function logRow(): Row {
  const line =
    'Nov 20 10:32:14 proxy1 proxy-server: 10.0.0.9 10.0.0.9 20/Nov/2026/10/32/14 PUT /v1/AUTH_test/archive/f12 HTTP/1.0 201 - curl/7.88.1 AUTH_tk9fb3cad35... 564481 - - txd6ee8a7317024fc3a2c98-006b0021ae - 0.0169 - - 1795170734.131294012 1795170734.148233175 1'
  const lines = 100_000
  const parseAccessLine = accessLineParser()
  const ms = cpuMsOf(5, () => {
    for (let i = 0; i < lines; i++) parseAccessLine(line)
  })
  return row("lines of a proxy's access log", (1_000 / ms) * lines, 'per second of one core', null)
}
