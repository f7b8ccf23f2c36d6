import { constants } from 'node:fs'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeManagedFile } from '../machine/managed-file.js'
import type { Machine } from '../machine/machine.js'
import { mountAt, readMounts } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { findGatewaySoftware } from '../machine/gateway-software.js'
import { fileWithoutShares } from './servers/declared-file.js'
import { exportsFile } from './servers/kernel-nfs/render.js'
import { ganeshaExportsFile } from './servers/ganesha/render.js'
import { missingCacheSettings, withCacheSettings } from './servers/ganesha/cache.js'
import { ganeshaConf, ganeshaLines, readsOurExports } from './servers/ganesha/server.js'
import type { ShareServers } from './index.js'
import { readBySamba } from './servers/samba/config.js'
import { readsOurSections, sambaLines, smbConf } from './servers/samba/server.js'
import { sambaSharesFile } from './servers/samba/render.js'

/** One file that a gateway needs before its first deployment. */
export interface Preparation {
  readonly path: string
  /** For an operator, before it is done. */
  readonly sentence: string
  readonly content: string
  /** Where the file is kept as it was. */
  readonly backup: string | null
}

/** Returns the steps that make the servers of this machine read our files; none where they do. Throws where that is impossible. */
export function preparationsFor(machine: Machine, nfs: ShareServers['nfs']): readonly Preparation[] {
  const hasSamba = findGatewaySoftware(machine, 'samba') !== undefined
  const files = [
    ...(hasSamba ? [smbConf, sambaSharesFile] : []),
    ...(nfs === 'ganesha' ? [ganeshaConf, ganeshaExportsFile] : []),
    ...(nfs === 'kernel' ? [exportsFile] : []),
  ]
  requireOwnFiles(machine, files)
  return [
    ...(hasSamba ? [...missingFile(machine, sambaSharesFile), ...missingSambaLine(machine)] : []),
    ...(nfs === 'ganesha' ? [...missingFile(machine, ganeshaExportsFile), ...missingGaneshaSettings(machine)] : []),
    ...(nfs === 'kernel' ? missingFile(machine, exportsFile) : []),
  ]
}

/** Says whether an operator made this machine a gateway: an installed server reads our file, whether it runs or not. */
export function isPrepared(machine: Machine): boolean {
  const has = (name: Parameters<typeof findGatewaySoftware>[1]) => findGatewaySoftware(machine, name) !== undefined
  return (
    (has('samba') && readsOurSections(machine.read(smbConf) ?? '')) ||
    (has('nfs_ganesha') && readsOurExports(machine.read(ganeshaConf) ?? '')) ||
    (has('nfs_kernel_server') && machine.stamp(exportsFile) !== undefined)
  )
}

/** Throws for a file that is mounted over its path: our rename would not replace it. */
export function requireOwnFiles(machine: Machine, files: readonly string[]): void {
  const mounts = readMounts(machine)
  const bound = files.find((file) => mountAt(file, mounts) !== undefined)
  if (bound !== undefined)
    throw new Error(
      `${bound} is a mount of its own, as when one file is bound into a container: what replaces it does not reach its server. Bind the folder ${dirname(bound)} instead.`,
    )
}

/** Does it, each file with a backup beside; Samba has to take its configuration before that is in place. */
export async function prepare(machine: Machine, run: RunCommand, preparations: readonly Preparation[]): Promise<void> {
  const samba = preparations.find(({ path }) => path === smbConf)
  if (samba !== undefined) await readBySamba(samba.content, run)
  for (const { path, content, backup } of preparations) {
    const file = machine.path(path)
    await mkdir(dirname(file), { recursive: true })
    if (backup !== null) await copyFile(file, machine.path(backup), constants.COPYFILE_EXCL).catch(unlessThere)
    await writeManagedFile(file, content, await modeOf(file))
  }
}

function missingFile(machine: Machine, path: string): readonly Preparation[] {
  if (machine.stamp(path) !== undefined) return []
  return [{ path, sentence: `Makes ${path}, without a share in it.`, content: fileWithoutShares, backup: null }]
}

function missingSambaLine(machine: Machine): readonly Preparation[] {
  const text = machine.read(smbConf) ?? ''
  return readsOurSections(text) ? [] : [appended(smbConf, text, sambaLines)]
}

/** Returns both changes to ganesha.conf as one, because they are of one file. */
function missingGaneshaSettings(machine: Machine): readonly Preparation[] {
  const text = machine.read(ganeshaConf) ?? ''
  const settings = missingCacheSettings(text)
  const [line] = readsOurExports(text) ? [] : [appended(ganeshaConf, text, ganeshaLines)]
  if (settings.length === 0) return line === undefined ? [] : [line]
  const sets = `Sets ${settings.join(' ')} in the block MDCACHE of ${ganeshaConf}, which nfs-ganesha reads when it is restarted.`
  const { content, backup, sentence } = line ?? { content: text, backup: backupOf(ganeshaConf), sentence: '' }
  const kept = line === undefined ? keptIn(backup) : ''
  return [
    {
      path: ganeshaConf,
      sentence: `${sentence === '' ? '' : `${sentence} `}${sets}${kept}`,
      content: withCacheSettings(content),
      backup,
    },
  ]
}

function appended(path: string, text: string, lines: string): Preparation {
  const backup = text === '' ? null : backupOf(path)
  const shown = lines.trim().split('\n').slice(1).join(' ').replace(/\s+/g, ' ')
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  const sentence = `Adds '${shown}' to the end of ${path}.${keptIn(backup)}`
  return { path, sentence, content: `${text}${end}${lines}`, backup }
}

function keptIn(backup: string | null): string {
  return backup === null ? '' : ` The file as it is now stays in ${backup}.`
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
