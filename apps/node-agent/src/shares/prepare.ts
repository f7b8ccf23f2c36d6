import { constants } from 'node:fs'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeManagedFile } from '../machine/managed-file.js'
import type { Machine } from '../machine/machine.js'
import { mountAt, readMounts } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { fileWithoutShares } from './servers/declared-file.js'
import { serverSetups } from './index.js'
import { isInstalled, type ServerConfig, type ServerSetup } from './servers/server-setup.js'

/** One file that a gateway needs before its first deployment. */
export interface Preparation {
  readonly path: string
  /** For an operator, before it is done. */
  readonly sentence: string
  readonly content: string
  /** Where the file is kept as it was. */
  readonly backup: string | null
}

/** Returns the steps that make these servers read our files; none where they do. Throws where that is impossible. */
export function preparationsFor(machine: Machine, setups: readonly ServerSetup[]): readonly Preparation[] {
  requireOwnFiles(
    machine,
    setups.flatMap(({ file, config }) => (config === null ? [file] : [config.path, file])),
  )
  return setups.flatMap(({ file, config }) => [
    ...missingFile(machine, file),
    ...(config === null ? [] : missingChange(machine, config)),
  ])
}

/** Returns whether an operator made this machine a gateway: an installed server reads our file, whether it runs or not. */
export function isPrepared(machine: Machine): boolean {
  return serverSetups.some(
    (setup) =>
      isInstalled(machine, setup) &&
      (setup.config?.reads(machine.read(setup.config.path) ?? '') ?? machine.stamp(setup.file) !== undefined),
  )
}

/** Throws for a file that is mounted over its path: our rename would not replace it. */
export function requireOwnFiles(machine: Machine, files: readonly string[]): void {
  const mounts = readMounts(machine)
  const bound = files.find((file) => mountAt(file, mounts) !== undefined)
  if (bound !== undefined)
    throw new Error(
      `${bound} is a mount point of its own, for example a single file that is bind-mounted into a container, so that its server would not see a new version of the file. Bind-mount the folder ${dirname(bound)} instead.`,
    )
}

/** Does it, each file with a backup beside. A server that can check its configuration does before that is in place. */
export async function prepare(machine: Machine, run: RunCommand, preparations: readonly Preparation[]): Promise<void> {
  for (const { path, content } of preparations) await checkConfig(path, content, run)
  for (const { path, content, backup } of preparations) {
    const file = machine.path(path)
    await mkdir(dirname(file), { recursive: true })
    if (backup !== null) await copyFile(file, machine.path(backup), constants.COPYFILE_EXCL).catch(unlessThere)
    await writeManagedFile(file, content, await modeOf(file))
  }
}

/** Has a server check a text of its configuration, where the path is that and the server can. */
export async function checkConfig(path: string, text: string, run: RunCommand): Promise<void> {
  await serverSetups.find(({ config }) => config?.path === path)?.config?.check?.(text, run)
}

function missingFile(machine: Machine, path: string): readonly Preparation[] {
  if (machine.stamp(path) !== undefined) return []
  return [{ path, sentence: `Creates ${path} without any shares.`, content: fileWithoutShares, backup: null }]
}

/** Returns both changes to a configuration as one, because they are of one file. */
function missingChange(machine: Machine, config: ServerConfig): readonly Preparation[] {
  const { path } = config
  const text = machine.read(path) ?? ''
  const change = config.missing?.(text)
  const line = config.reads(text) ? undefined : appended(path, text, config.lines)
  if (change === undefined) return line === undefined ? [] : [line]
  const { content, backup, sentence } = line ?? { content: text, backup: backupOf(path), sentence: '' }
  const kept = line === undefined ? keptIn(backup) : ''
  const sentences = `${sentence === '' ? '' : `${sentence} `}${change.sentence}${kept}`
  return [{ path, sentence: sentences, content: change.apply(content), backup }]
}

function appended(path: string, text: string, lines: string): Preparation {
  const backup = text === '' ? null : backupOf(path)
  const shown = lines.trim().split('\n').slice(1).join(' ').replace(/\s+/g, ' ')
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  const sentence = `Adds '${shown}' to the end of ${path}.${keptIn(backup)}`
  return { path, sentence, content: `${text}${end}${lines}`, backup }
}

function keptIn(backup: string | null): string {
  return backup === null ? '' : ` The current file is kept as ${backup}.`
}

/** Keeps an earlier backup, which has the file from before Roost. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** Returns the path of the backup of a file from before Roost. */
export function backupOf(path: string): string {
  return `${path}.before-roost`
}

export async function modeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0o644,
  )
}
