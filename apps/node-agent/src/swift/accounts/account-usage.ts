import { fileURLToPath } from 'node:url'
import type { InventoryDevice } from '@roost/api-types/agent'
import type { Machine } from '../../machine/machine.js'
import { describeFailure, type RunCommand } from '../../machine/run-command.js'
import type { AccountTotals } from './account-db.js'
import type { AccountDevice, ScanLine, ScanQuestion } from './account-scan.js'

export interface AccountUsageOptions {
  readonly machine: Machine
  readonly ringDirectory: string
  readonly run: RunCommand
  /** Returns the devices of the last inventory. */
  readonly devices: () => readonly InventoryDevice[]
  /** The time limit for all devices together. */
  readonly deadlineMs: number
  /** The program of the scan; tests replace it. */
  readonly program?: string
}

/** The usage in the account databases of this node. */
export interface AccountSample {
  /** Each account and policy once, with the highest values of its copies on this node. */
  readonly rows: readonly AccountTotals[]
  readonly databases: number
  /** Describes the databases and devices that could not be read. */
  readonly faults: readonly string[]
}

export interface AccountUsage {
  /** Returns null on a node without accounts. Never rejects because of a device. */
  sample(): Promise<AccountSample | null>
  /** Stops a running scan. */
  close(): void
}

const scanProgram = fileURLToPath(new URL('account-scan-main.js', import.meta.url))
/** A row has about 130 bytes. */
const mostOutputBytes = 256 << 20

/**
 * Samples the accounts in a process of its own, which ends: a disk that hangs stops that process and not the agent, and the
 * memory for many accounts is freed. Each sample starts with another device, so that slow disks share the deadline.
 */
export function createAccountUsage(options: AccountUsageOptions): AccountUsage {
  const { machine, ringDirectory, run, deadlineMs, program = scanProgram } = options
  const ring = `${ringDirectory}/account.ring.gz`
  const stopping = new AbortController()
  let first = 0
  return {
    close: () => stopping.abort(),
    async sample() {
      if (machine.stamp(ring) === undefined) return null
      const devices = readable(options.devices(), machine)
      if (devices.length === 0) return null
      first = (first + 1) % devices.length
      const question: ScanQuestion = {
        ring: machine.path(ring),
        devices: [...devices.slice(first), ...devices.slice(0, first)],
      }
      const args = ['--max-old-space-size=192', program, JSON.stringify(question)]
      const limits = { deadlineMs, maxOutputBytes: mostOutputBytes, signal: stopping.signal }
      const result = await run(process.execPath, args, limits)
      const sample = parseScan(result.stdout)
      const ended = result.outcome === 'exited' && result.exitCode === 0
      return ended ? sample : { ...sample, faults: [...sample.faults, `The scan ${describeFailure(result)}.`] }
    },
  }
}

/** Leaves out devices with problems, which would use the time of the others. */
function readable(devices: readonly InventoryDevice[], machine: Machine): readonly AccountDevice[] {
  return devices.flatMap(({ name, ring, mount_point, status }) =>
    ring === null || mount_point === null || status !== 'ok'
      ? []
      : { name, ip: ring.ip, replicationIp: ring.replication_ip, path: machine.path(mount_point) },
  )
}

/** Parses the output; the last line of a killed process may be incomplete. */
function parseScan(text: string): AccountSample {
  const rows = new Map<string, AccountTotals>()
  const faults: string[] = []
  let databases = 0
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue
    const result = JSON.parse(line) as ScanLine
    if ('row' in result) keepMost(rows, result.row)
    else if ('done' in result) databases += result.databases
    else faults.push(`${result.unreadable}: ${result.reason}.`)
  }
  return { rows: [...rows.values()], databases, faults }
}

/** Keeps the highest values: copies on one node differ until the replicator has visited both. */
function keepMost(rows: Map<string, AccountTotals>, row: AccountTotals): void {
  const key = `${row.policy} ${row.account}`
  const { containers = 0, objects = 0, bytes = 0 } = rows.get(key) ?? {}
  rows.set(key, {
    ...row,
    containers: Math.max(containers, row.containers),
    objects: Math.max(objects, row.objects),
    bytes: Math.max(bytes, row.bytes),
  })
}
