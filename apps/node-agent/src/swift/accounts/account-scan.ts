import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { readPlacement, type RingDevice } from '../rings/ring.js'
import { type AccountTotals, readAccountDb } from './account-db.js'

/** A device of this node that may be in the account ring. */
export interface AccountDevice {
  readonly name: string
  /** The address in the ring. */
  readonly ip: string
  readonly replicationIp: string
  /** The mount point on the machine that runs the scan. */
  readonly path: string
}

export interface ScanQuestion {
  /** `account.ring.gz`. */
  readonly ring: string
  readonly devices: readonly AccountDevice[]
}

/** A line of a scan's output; `done` after all databases of a device. */
export type ScanLine =
  | { readonly row: AccountTotals }
  | { readonly unreadable: string; readonly reason: string }
  | { readonly done: string; readonly databases: number }

/**
 * Reads the databases of every account that the ring assigns to these devices. A copy on another device (a handoff) is left out,
 * because it may be a week old. Reads are synchronous: this runs in a process that may hang with a disk.
 */
export async function scanAccounts(question: ScanQuestion, report: (line: ScanLine) => void): Promise<void> {
  const wanted = new Map(
    question.devices.map((device) => [keyOf(device.name, device.ip, device.replicationIp), device]),
  )
  const placements = await readPlacement(readFileSync(question.ring), (device) => wanted.has(keyIn(device)))
  const byDevice = new Map(placements.map(({ device, has }) => [keyIn(device), has]))
  for (const [key, { name, path }] of wanted) {
    const has = byDevice.get(key)
    if (has !== undefined) scanDevice(name, `${path}/accounts`, has, report)
  }
}

function keyIn({ device, ip, replicationIp }: RingDevice): string {
  return keyOf(device, ip, replicationIp)
}

function keyOf(name: string, ip: string, replicationIp: string): string {
  return `${name} ${ip} ${replicationIp}`
}

function scanDevice(name: string, folder: string, has: Uint8Array, report: (line: ScanLine) => void): void {
  let databases = 0
  for (const partition of foldersIn(folder).filter((found) => /^\d+$/.test(found) && has[Number(found)] === 1))
    for (const suffix of foldersIn(`${folder}/${partition}`))
      for (const hash of foldersIn(`${folder}/${partition}/${suffix}`)) {
        databases++
        readOne(`${folder}/${partition}/${suffix}/${hash}/${hash}.db`, report)
      }
  report({ done: name, databases })
}

function readOne(path: string, report: (line: ScanLine) => void): void {
  try {
    const rows = readAccountDb(path)
    if (rows === undefined) report({ unreadable: path, reason: 'it is constantly being written to' })
    else for (const row of rows) report({ row })
  } catch (error) {
    // A folder without its database is being created or removed.
    if (!isGone(error)) report({ unreadable: path, reason: (error as Error).message })
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry: Dirent) =>
      entry.isDirectory() ? entry.name : [],
    )
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}
