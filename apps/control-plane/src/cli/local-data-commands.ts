import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ArchiveFile } from '../backup/archive.js'
import { readKeptFiles, stageKeptFiles } from '../backup/files.js'
import { recordBackup } from '../backup/last-backup.js'
import { backUp, inspect, restore as restoreArchive } from '../backup/store.js'
import type { Config } from '../config.js'
import { buildAccess, withDatabase, withRunningDatabase, withStoppedDatabase } from '../context/local.js'
import { orStartError } from '../database/database.js'
import { apiKeyPath, writeApiKey } from '../operators/first-operator.js'
import { readInstance } from '../lifecycle/instance.js'
import { createLog } from '../lifecycle/log.js'
import { resetAdmin as resetAdminKey } from '../operators/reset-admin.js'
import { resetKeyFile } from '../secrets/key-file.js'
import { rotateSecretKey } from '../secrets/rotate-keys.js'
import { version } from '../lifecycle/version.js'
import { bytes, cellText } from './terminal/cells.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { withProgress } from './terminal/progress.js'
import type { Terminal } from './terminal/terminal.js'

const secretsFile = 'secrets.key'

export async function backup(
  config: Config,
  file: ArchiveFile,
  withHistory: boolean,
  terminal: Terminal,
): Promise<void> {
  const { out, err } = terminal
  const { path } = file
  if (existsSync(path)) throw new CommandError(`${path} already exists. Use another file name.`, exitCodes.conflict)
  const files = await readKeptFiles(config.dataDir)
  if (!files.some((one) => one.path === secretsFile))
    throw new CommandError(
      `${join(config.dataDir, secretsFile)} does not exist: this data directory has no data. Check ROOST_DATA_DIR.`,
    )
  const { rows, historyBytes } = await withProgress(terminal, 'backing up', () =>
    withRunningDatabase(config, quiet(err), (connection) =>
      orStartError(backUp(connection, file, { files, withHistory, release: version, created: new Date() })),
    ),
  )
  await recordBackup(config.dataDir, { path, created: new Date().toISOString() })
  const history = withHistory
    ? 'with the history of metrics'
    : `without the history of metrics (${cellText(bytes(historyBytes))}; --with-history includes it)`
  out.write(`backed up ${rows} rows and ${files.length} files to ${path}, ${history}\n`)
}

export interface RestoreChoices {
  readonly force: boolean
  /** Leave the history of metrics that the database has. */
  readonly keepHistory: boolean
}

export async function restore(
  config: Config,
  file: ArchiveFile,
  { force, keepHistory }: RestoreChoices,
  terminal: Terminal,
): Promise<void> {
  const { out, err } = terminal
  // If the control plane runs, that error goes first.
  if (!force && existsSync(join(config.dataDir, secretsFile)) && !(await readInstance(config.dataDir)))
    throw new CommandError(
      `${config.dataDir} already contains keys. Use --force to replace them with those of the backup.`,
      exitCodes.conflict,
    )
  const log = quiet(err)
  const manifest = await inspect(file)
  if (keepHistory && manifest.history)
    throw new CommandError(`${file.path} has a history of metrics. Leave out --keep-history.`, exitCodes.usage)
  const isKept = await withProgress(terminal, 'restoring', () =>
    withStoppedDatabase(config, log, async (connection) => {
      const staged = await stageKeptFiles(config.dataDir, manifest.files)
      const flags = {
        force,
        keepHistory,
        log: (message: string) => log.info(message),
        warn: (message: string) => log.warn(message),
      }
      const restored = await orStartError(restoreArchive(connection, file, manifest, flags)).catch(
        async (error: unknown) => {
          await staged.discard()
          throw error
        },
      )
      await staged.install()
      return restored
    }),
  )
  const { release, created } = manifest
  const history = isKept ? 'and kept' : manifest.history ? 'with' : 'without'
  out.write(`restored the backup of Roost ${release} from ${created}, ${history} the history of metrics\n`)
}

export async function resetAdmin(config: Config, { out, err }: Terminal): Promise<void> {
  const log = quiet(err)
  const credentials = await withDatabase(config, log, (database) => resetAdminKey(buildAccess(database, log)), {
    whileRunning: true,
  })
  await writeApiKey(config.dataDir, credentials)
  out.write(`${credentials}\n`)
  err.write(`also written to ${apiKeyPath(config.dataDir)}; older keys stay valid, see "roost key list admin"\n`)
}

export async function rotateSecretsKey(config: Config, { out, err }: Terminal): Promise<void> {
  const path = join(config.dataDir, secretsFile)
  if (!existsSync(path)) throw new CommandError(`${path} does not exist.`, exitCodes.notFound)
  const rotate = (database: Parameters<typeof rotateSecretKey>[1]) => rotateSecretKey(path, database)
  const count = await withDatabase(config, quiet(err), rotate, { whileRunning: false })
  out.write(`wrote a new key to ${path} and encrypted ${count} secrets with it; older backups contain the old key\n`)
}

export async function resetSecretsKey(config: Config, { out, err }: Terminal): Promise<void> {
  const path = join(config.dataDir, secretsFile)
  const reset = (database: Parameters<typeof resetKeyFile>[1]) => resetKeyFile(path, database)
  const { id, lost } = await withDatabase(config, quiet(err), reset, { whileRunning: false })
  out.write(`the database now uses the key ${id} of ${path}; ${lost} secrets need another key and must be set again\n`)
}

function quiet(err: Terminal['err']) {
  return createLog({ level: 'warn', out: err })
}
