import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { readPlacement, type RingDevice } from '../rings/ring.js'
import { type AccountFigures, readAccountDb } from './account-db.js'

/** A device of this node on which the ring of accounts may place accounts. */
export interface AccountDevice {
  readonly name: string
  /** By which the ring knows it. */
  readonly ip: string
  readonly replicationIp: string
  /** Where it is mounted, on the machine that the scan runs on. */
  readonly path: string
}

export interface ScanQuestion {
  /** `account.ring.gz`. */
  readonly ring: string
  readonly devices: readonly AccountDevice[]
}

/** What a scan tells, a line each; `done` when a device was read to its end. */
export type ScanLine =
  | { readonly row: AccountFigures }
  | { readonly unreadable: string; readonly reason: string }
  | { readonly done: string; readonly databases: number }

/**
 * Reads the databases of every account that the ring places on these devices. A copy on a device that the ring does not
 * name for it (a handoff) may be of last week: the account's own devices tell it. Synchronous below the mounts: it runs in a process that
 * may hang with a disk.
 */
export async function scanAccounts(question: ScanQuestion, tell: (line: ScanLine) => void): Promise<void> {
  const wanted = new Map(
    question.devices.map((device) => [keyOf(device.name, device.ip, device.replicationIp), device]),
  )
  const placements = await readPlacement(readFileSync(question.ring), (device) => wanted.has(keyIn(device)))
  const placed = new Map(placements.map(({ device, has }) => [keyIn(device), has]))
  for (const [key, { name, path }] of wanted) {
    const has = placed.get(key)
    if (has !== undefined) scanDevice(name, `${path}/accounts`, has, tell)
  }
}

function keyIn({ device, ip, replicationIp }: RingDevice): string {
  return keyOf(device, ip, replicationIp)
}

function keyOf(name: string, ip: string, replicationIp: string): string {
  return `${name} ${ip} ${replicationIp}`
}

function scanDevice(name: string, folder: string, has: Uint8Array, tell: (line: ScanLine) => void): void {
  let databases = 0
  for (const partition of foldersIn(folder).filter((found) => /^\d+$/.test(found) && has[Number(found)] === 1))
    for (const suffix of foldersIn(`${folder}/${partition}`))
      for (const hash of foldersIn(`${folder}/${partition}/${suffix}`)) {
        databases++
        readOne(`${folder}/${partition}/${suffix}/${hash}/${hash}.db`, tell)
      }
  tell({ done: name, databases })
}

function readOne(path: string, tell: (line: ScanLine) => void): void {
  try {
    const rows = readAccountDb(path)
    if (rows === undefined) tell({ unreadable: path, reason: 'it was written to all the time' })
    else for (const row of rows) tell({ row })
  } catch (error) {
    // A folder without its database is one that is being made or removed.
    if (!isGone(error)) tell({ unreadable: path, reason: (error as Error).message })
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
