import { dirname } from 'node:path'
import type { Machine } from '../../../machine/machine.js'
import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { readPrograms } from '../../../machine/running-programs.js'
import { losesAccess, plainAddress } from '../allowed-clients.js'
import { adoptExports } from './adopt.js'
import { exportsFile } from './render.js'
import { type ExportLine, exportsFormat } from './format.js'
import { checkWithExportfs } from './exportfs-check.js'
import { differencesFrom, parseEtab } from './etab.js'
import type { ServerOptions } from '../samba/server.js'
import type { LiveSession, LossOptions, ShareServer } from '../share-server.js'

export interface NfsServerOptions extends ServerOptions {
  /** Holds the folders of all shares. */
  readonly mountDirectory: string
}

const deadlineMs = 60_000
const etabFile = '/var/lib/nfs/etab'

/** Creates the kernel's NFS server, controlled by nfs-utils. */
export function createExportsServer({ machine, run, mountDirectory }: NfsServerOptions): ShareServer {
  const isOurs = (path: string) => dirname(path) === mountDirectory
  return {
    protocol: 'nfs',
    daemon: 'nfs-kernel-server',
    file: exportsFile,
    keepsPermissions: false,
    endsWithEmptyFile: true,
    isRunning: () => ['nfsd', 'rpc.mountd'].some((name) => readPrograms(machine).has(name)),
    async requireNoConflict(text) {
      const theirs = theirExports(machine)
      for (const { path, clients } of linesOf(text)) {
        const fsid = clients[0]?.options.find((option) => option.startsWith('fsid='))
        const both = theirs.find(({ line }) => sharesIdentity(line, path, fsid))
        if (both !== undefined)
          throw new Error(
            `${both.file} has the manually written export '${both.line.trim()}', which has the same folder or fsid as a share of Roost. Remove that export.`,
          )
      }
    },
    check: (text) => checkWithExportfs(text, run),
    reload: () => exportfs(run, ['-r']),
    faults: async (text) => differencesFrom(parseEtab(machine.read(etabFile) ?? ''), text, isOurs),
    sessionsLost: async (before, after, options) =>
      sessions(linesOf(before), linesOf(after), clientsOf(machine), options),
    async release(text, paths) {
      for (const { path, clients } of linesOf(text))
        if (paths.has(path)) for (const { host } of clients) await exportfs(run, ['-u', `${host}:${path}`])
    },
    restore: () => exportfs(run, ['-r']),
    adopt: adoptExports,
    foldersOf: (text) => linesOf(text).map(({ path }) => path),
    notes: () => [],
  }
}

async function exportfs(run: RunCommand, args: readonly string[]): Promise<void> {
  const result = await run('exportfs', args, { deadlineMs })
  if (result.exitCode !== 0) throw new Error(`exportfs ${args.join(' ')}: ${describeFailure(result)}.`)
}

function theirExports(machine: Machine) {
  const others = machine.list('/etc/exports.d').filter((name) => name.endsWith('.exports'))
  const files = ['/etc/exports', ...others.map((name) => `/etc/exports.d/${name}`)].filter(
    (file) => file !== exportsFile,
  )
  return files.flatMap((file) => {
    const lines = (machine.read(file) ?? '').replaceAll('\\\n', ' ').split('\n')
    return lines.filter((line) => /^\s*[^#\s]/.test(line)).map((line) => ({ file, line }))
  })
}

/** Reads NFSv4 clients from the kernel, and NFSv3 clients from mountd's list. */
function clientsOf(machine: Machine): readonly { readonly address: string; readonly path: string | null }[] {
  const folder = '/proc/fs/nfsd/clients'
  const v4 = machine
    .list(folder)
    .map((id) => /^address: "(.*)"$/m.exec(machine.read(`${folder}/${id}/info`) ?? '')?.[1])
  const v3 = [...(machine.read('/var/lib/nfs/rmtab') ?? '').matchAll(/^([^:]+):(.+):0x[0-9a-f]+$/gm)]
  return [
    ...v4.filter((address) => address !== undefined).map((address) => ({ address: plainAddress(address), path: null })),
    ...v3.map(([, address = '', path = '']) => ({ address: plainAddress(address), path })),
  ]
}

function sharesIdentity(line: string, path: string, fsid: string | undefined): boolean {
  const [folder = ''] = line.trim().split(/\s+/)
  return folder.replaceAll('"', '') === path || (fsid !== undefined && new RegExp(`[(,]${fsid}[,)]`).test(line))
}

/** Returns the sessions that lose access. Nothing has to be ended: the next request of the client is refused. */
function sessions(
  before: readonly ExportLine[],
  after: readonly ExportLine[],
  clients: readonly { readonly address: string; readonly path: string | null }[],
  { nameOf, gone }: LossOptions,
): readonly LiveSession[] {
  const next = new Map(after.filter(({ path }) => !gone.has(path)).map(({ path, clients }) => [path, hostsOf(clients)]))
  const lost = before.flatMap(({ path, clients: allowed }) => {
    const now = next.get(path)
    return clients
      .filter((client) => client.path === null || client.path === path)
      .filter(({ address }) => now === undefined || losesAccess(address, hostsOf(allowed), now))
      .map(({ address }) => ({ share: nameOf(path), client: address, user: null, end: async () => {} }))
  })
  const keys = lost.map(({ share, client }) => `${share} ${client}`)
  return lost.filter((_, i) => keys.indexOf(keys[i] ?? '') === i)
}

function hostsOf(clients: ExportLine['clients']): readonly string[] {
  return clients.map(({ host }) => host)
}

function linesOf(text: string): readonly ExportLine[] {
  try {
    return exportsFormat.parse(text)
  } catch {
    return []
  }
}
