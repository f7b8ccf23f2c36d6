import { X509Certificate } from 'node:crypto'
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { oldestBackupSeconds } from '@roost/api-types/checks'
import { counted, createDiskReader, nearlyFullBelow } from '@roost/runtime'
import { readLastBackup, readLastCopy } from '../../backup/last-backup.js'
import type { Config } from '../../config.js'
import { inspectDatabase } from '../../database/database.js'
import { leastFreeShare } from '../../history/storage/retention.js'
import { dataDirBounds } from '../../lifecycle/data-dir.js'
import type { InstanceFile } from '../../lifecycle/instance.js'
import { requirePort } from '../../lifecycle/listen.js'
import type { Check } from './check.js'

const dayMs = 86_400_000
/** PostgreSQL may fail to write with less. */
const minFreeBytes = 200e6
const oldBackupDays = oldestBackupSeconds / 86_400

export function dataDirectory({ dataDir }: Config): Check {
  return {
    name: 'data directory',
    async run() {
      const code = await access(dataDir, constants.R_OK | constants.W_OK).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code,
      )
      if (code === undefined) return ['ok', dataDir]
      return [
        'fail',
        `${dataDir} cannot be read and written (${code}). Set ROOST_DATA_DIR, or run this command as the account that runs Roost.`,
      ]
    },
  }
}

export function freeSpace({ dataDir }: Config): Check {
  return {
    name: 'free space',
    async run() {
      const space = await createDiskReader(dataDir).read()
      const free = space.availableBytes
      const text = `${(free / 1e9).toFixed(1)} GB free`
      if (free >= nearlyFullBelow(space, dataDirBounds)) return ['ok', text]
      const verdict = free < minFreeBytes ? 'fail' : 'warn'
      return [verdict, `${text}: the database stops when the disk is full. Free some space.`]
    },
  }
}

/** The history leaves a tenth of the disk of the embedded PostgreSQL free. */
export function historySpace({ dataDir, databaseUrl, history }: Config): Check {
  return {
    name: 'history',
    async run() {
      if (!history.isOn) return ['ok', 'is off (ROOST_HISTORY=off)']
      const limit = `may use ${history.maxGigabytes} GB`
      if (databaseUrl !== null) return ['ok', limit]
      const { availableBytes, totalBytes } = await createDiskReader(dataDir).read()
      if (availableBytes >= leastFreeShare * totalBytes) return ['ok', limit]
      return ['warn', 'less than a tenth of the disk is available: no history is stored. Free some space.']
    },
  }
}

export function ownAuthority({ dataDir }: Config): Check {
  return {
    name: 'CA',
    async run() {
      const path = join(dataDir, 'ca.pem')
      const pem = await readFile(path).catch(() => undefined)
      if (pem === undefined) return ['ok', `${path} does not exist: Roost has no certificate authority of its own`]
      const days = Math.floor((Date.parse(new X509Certificate(pem).validTo) - Date.now()) / dayMs)
      if (days > 30) return ['ok', `${path} is valid for ${days} days`]
      return ['fail', `${path} expires in ${days} days. Restart Roost to renew it.`]
    },
  }
}

export function backupAge({ dataDir }: Config, now: number): Check {
  return {
    name: 'backup',
    async run() {
      const last = await readLastBackup(dataDir)
      if (last === undefined)
        return [
          'warn',
          'no backup was made yet. Run "roost local backup FILE" daily, preferably with the timer roost-backup (see docs/install.md).',
        ]
      const days = Math.floor((now - Date.parse(last.created)) / dayMs)
      const text = `${last.path} of ${last.created}`
      return days < oldBackupDays ? ['ok', text] : ['warn', `${text} is ${days} days old. Make a new one.`]
    },
  }
}

/** Checks the copies that the timer makes; a machine without a backup has the finding of its backup. */
export function backupCopy({ dataDir, backupCopy: command }: Config, now: number): Check {
  return {
    name: 'backup copy',
    async run() {
      const last = await readLastBackup(dataDir)
      if (last === undefined) return ['ok', 'there is no backup to copy yet']
      if (command === null)
        return ['warn', 'backups stay on this machine. Set ROOST_BACKUP_COPY to a command that copies them to another.']
      const copy = await readLastCopy(last)
      if ('code' in copy) {
        const message = `no backup was copied yet, or ${copy.path} cannot be read (${copy.code}). See "journalctl -u roost-backup".`
        return ['warn', message]
      }
      const time = copy.copied
      const days = Math.floor((now - Date.parse(time)) / dayMs)
      if (days < oldBackupDays) return ['ok', `the last copy is of ${time}`]
      return ['warn', `the last copy, of ${time}, is ${days} days old. "journalctl -u roost-backup" has the reason.`]
    },
  }
}

/** Checks what the next start of a stopped control plane needs. */
export function startNeeds(config: Config, instance: InstanceFile | undefined): readonly Check[] {
  const running: Check = {
    name: 'process',
    run: async () =>
      instance === undefined
        ? ['warn', 'Roost does not run on this data directory. Start it, or set ROOST_URL for another control plane.']
        : ['warn', `process ${instance.pid} is still starting`],
  }
  const port: Check = {
    name: 'port',
    async run() {
      await requirePort(config.listen)
      return ['ok', `${config.listen.host}:${config.listen.port} is free`]
    },
  }
  const database: Check = { name: 'database', run: () => storedDatabase(config) }
  return instance === undefined ? [running, port, database] : [running]
}

async function storedDatabase(config: Config): ReturnType<Check['run']> {
  const state = await inspectDatabase(config)
  if (state === null) return ['ok', 'is embedded, and starts with Roost']
  if (state.unknown.length > 0)
    return [
      'fail',
      `is newer than this release of Roost (it has the migrations ${state.unknown.join(', ')}). Start the release that last used it.`,
    ]
  if (state.pending.length === 0) return ['ok', 'answers, and has the schema of this release']
  return ['ok', `answers; the next start applies ${counted(state.pending.length, 'migration')}`]
}
