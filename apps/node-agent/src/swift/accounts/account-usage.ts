import { fileURLToPath } from 'node:url'
import type { InventoryDevice } from '@roost/api-types/agent'
import type { Machine } from '../../machine/machine.js'
import { describeFailure, type RunCommand } from '../../machine/run-command.js'
import type { AccountFigures } from './account-db.js'
import type { AccountDevice, ScanLine, ScanQuestion } from './account-scan.js'

export interface AccountUsageOptions {
  readonly machine: Machine
  readonly swiftDirectory: string
  readonly run: RunCommand
  /** The devices of this node as they were seen last. */
  readonly devices: () => readonly InventoryDevice[]
  /** How long all devices may take. */
  readonly deadlineMs: number
  /** The program that scans. */
  readonly program?: string
}

/** The figures from the account databases on this node. */
export interface AccountSample {
  /** Each account and policy once, with the most that any of its copies here says. */
  readonly rows: readonly AccountFigures[]
  readonly databases: number
  /** What could not be read, in words for an operator. */
  readonly faults: readonly string[]
}

export interface AccountUsage {
  /** Null where this node has no accounts. Never rejects because of a device. */
  sample(): Promise<AccountSample | null>
  /** Stops a scan that is under way. */
  close(): void
}

const scanProgram = fileURLToPath(new URL('account-scan-main.js', import.meta.url))
/** A row has about 130 bytes. */
const mostOutputBytes = 256 << 20

/**
 * Samples the accounts in a process of its own, which ends: a disk that hangs takes that process and not the agent, and the
 * memory of a large node's accounts is given back. Each time it begins with another device, so that slow disks share the deadline.
 */
export function createAccountUsage(options: AccountUsageOptions): AccountUsage {
  const { machine, swiftDirectory, run, deadlineMs, program = scanProgram } = options
  const ring = `${swiftDirectory}/account.ring.gz`
  const stopping = new AbortController()
  let turn = 0
  return {
    close: () => stopping.abort(),
    async sample() {
      if (machine.stamp(ring) === undefined) return null
      const devices = readable(options.devices(), machine)
      if (devices.length === 0) return null
      turn = (turn + 1) % devices.length
      const question: ScanQuestion = {
        ring: machine.path(ring),
        devices: [...devices.slice(turn), ...devices.slice(0, turn)],
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

/** One that is not well would take the others' time. */
function readable(devices: readonly InventoryDevice[], machine: Machine): readonly AccountDevice[] {
  return devices.flatMap(({ name, ring, mount_point, status }) =>
    ring === null || mount_point === null || status !== 'ok'
      ? []
      : { name, ip: ring.ip, replicationIp: ring.replication_ip, path: machine.path(mount_point) },
  )
}

/** The last line of a process that was killed may be half a line. */
function parseScan(text: string): AccountSample {
  const rows = new Map<string, AccountFigures>()
  const faults: string[] = []
  let databases = 0
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue
    const said = JSON.parse(line) as ScanLine
    if ('row' in said) keepMost(rows, said.row)
    else if ('done' in said) databases += said.databases
    else faults.push(`${said.unreadable}: ${said.reason}.`)
  }
  return { rows: [...rows.values()], databases, faults }
}

/** Two copies on one node differ until the replicator has met both. */
function keepMost(rows: Map<string, AccountFigures>, row: AccountFigures): void {
  const key = `${row.policy} ${row.account}`
  const { containers = 0, objects = 0, bytes = 0 } = rows.get(key) ?? {}
  rows.set(key, {
    ...row,
    containers: Math.max(containers, row.containers),
    objects: Math.max(objects, row.objects),
    bytes: Math.max(bytes, row.bytes),
  })
}
