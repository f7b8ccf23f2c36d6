import { rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeManagedFile, writeManagedFile } from '../machine/managed-file.js'
import type { Machine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import { serverSetups } from './index.js'
import { backupOf, checkConfig, modeOf, requireOwnFiles } from './prepare.js'
import type { ServerConfig } from './servers/server-setup.js'
import type { ShareServer } from './servers/share-server.js'

/** One file that is put back, or goes. */
export interface Departure {
  readonly path: string
  /** For an operator, before it is done. */
  readonly sentence: string
  /** Null: it goes. */
  readonly content: string | null
}

/** The current text of a server's file of ours. */
export interface Served {
  readonly server: ShareServer
  readonly text: string
}

export interface Leaving {
  readonly departures: readonly Departure[]
  /** The servers whose files go. */
  readonly files: readonly Served[]
  /** Those of them that have shares, which end. */
  readonly served: readonly Served[]
}

/** Returns the changes that make the servers of this machine run as before Roost. Throws where that is impossible. */
export function leavingOf(machine: Machine, servers: readonly ShareServer[]): Leaving {
  const files = servers.flatMap((server) => {
    const text = machine.read(server.file)
    return text === undefined ? [] : [{ server, text }]
  })
  const departures = [
    ...serverSetups.flatMap(({ config }) => (config === null ? [] : withoutLine(machine, config))),
    ...files.map(({ server: { file } }) => ({ path: file, sentence: `Removes ${file}.`, content: null })),
  ]
  requireOwnFiles(
    machine,
    departures.map(({ path }) => path),
  )
  return { departures, files, served: files.filter(({ text }) => /^\s*[^#\s]/m.test(text)) }
}

/**
 * Does it, and has the servers that run reload. A server that can check its configuration does before that is in place. Our files
 * are removed last: where a server does not answer, they show the next time what is left to do.
 */
export async function leave(machine: Machine, run: RunCommand, { departures, files }: Leaving): Promise<void> {
  for (const { path, content } of departures) await checkConfig(path, content ?? '', run)
  for (const { path, content } of departures) if (content !== null) await putBack(machine, path, content)
  // A server may read its file without an include line that could be removed.
  for (const { server } of files) if (server.endsWithEmptyFile) await empty(machine, server.file)
  for (const served of files) await reload(served)
  for (const { path, content } of departures) if (content === null) await remove(machine, path)
}

async function reload({ server, text }: Served): Promise<void> {
  if (!server.isRunning()) return
  await server.reload()
  // Its clients keep what they were permitted when they connected.
  if (server.keepsPermissions) await server.release(text, new Set(server.foldersOf(text)))
}

async function empty(machine: Machine, path: string): Promise<void> {
  const file = machine.path(path)
  await writeManagedFile(file, '', await modeOf(file))
}

async function remove(machine: Machine, path: string): Promise<void> {
  await removeManagedFile(machine.path(path))
  await rmdir(dirname(machine.path(path))).catch(() => {}) // where others keep files there, too
}

async function putBack(machine: Machine, path: string, content: string): Promise<void> {
  const file = machine.path(path)
  await writeManagedFile(file, content, await modeOf(file))
  if (machine.read(backupOf(path)) === content) await rm(machine.path(backupOf(path)))
}

function withoutLine(machine: Machine, { path, without }: ServerConfig): readonly Departure[] {
  const text = machine.read(path)
  if (text === undefined) return []
  const rest = without(text)
  if (rest === text) return []
  const backup = machine.read(backupOf(path))
  const isAsBefore = backup !== undefined && backup.trimEnd() === rest.trimEnd()
  const [content, kept] = isAsBefore
    ? [backup, 'which restores its earlier content']
    : [rest, 'and leaves the rest unchanged']
  return [{ path, sentence: `Removes what \`gateway prepare\` added to ${path}, ${kept}.`, content }]
}
