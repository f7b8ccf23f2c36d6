import { dirname } from 'node:path'
import type { Machine } from '../../../machine/machine.js'
import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { losesAccess } from '../allowed-clients.js'
import type { NfsServerOptions } from '../kernel-nfs/server.js'
import { ganeshaExportsFile } from './render.js'
import { adoptBlocks } from './adopt.js'
import { createGaneshaBus, type GaneshaBus } from './bus.js'
import { ganeshaCacheLines, missingCacheSettings } from './cache.js'
import { ganeshaFormat } from './format.js'
import { followGaneshaLog } from './log.js'
import { exportsOf, type GaneshaExport } from './read.js'
import type { LiveSession, LossOptions, ShareServer } from '../share-server.js'

export const ganeshaConf = '/etc/ganesha/ganesha.conf'
const defaultLog = '/var/log/ganesha/ganesha.log'
/** The line that makes it read our file. */
export const ganeshaLines = `
# Shares that Roost deploys; see docs/agent.md.
%include "${ganeshaExportsFile}"
`
const includePattern = /^[ \t]*%include[ \t]+"?\/etc\/ganesha\/roost\.d\/exports\.conf"?[ \t]*$/m
const deadlineMs = 10_000

/** Says whether the machine's ganesha.conf reads our file. */
export function readsOurExports(text: string): boolean {
  return includePattern.test(text)
}

/** Returns ganesha.conf without what `gateway prepare` added to it. */
export function withoutOurExports(text: string): string {
  return text.replace(ganeshaCacheLines, '').replace(ganeshaLines, '').replace(includePattern, '')
}

/** Controls nfs-ganesha: our EXPORT blocks are in a file that ganesha.conf includes, beside the operator's. */
export function createGaneshaServer({ machine, run, mountDirectory }: NfsServerOptions): ShareServer {
  const bus = createGaneshaBus(run)
  const isRunning = () => pidOf(machine) !== undefined
  return {
    protocol: 'nfs',
    daemon: 'nfs-ganesha',
    file: ganeshaExportsFile,
    keepsPermissions: false,
    endsWithEmptyFile: true,
    isRunning,
    async requireNoConflict(text) {
      requireNoConflict(machine, exportsOf(text))
      // Better known now than after the files are in place.
      await bus.exports()
    },
    // It has no reader of its own that is not the server: the text was read back, and after the reload its log tells.
    check: async (text) => void ganeshaFormat.parse(text),
    async reload() {
      const pid = pidOf(machine)
      if (pid === undefined) throw new Error('nfs-ganesha is not running.')
      const log = await followGaneshaLog(machine, await logOf(pid, run))
      const result = await run('kill', ['-HUP', pid], { deadlineMs })
      if (result.exitCode !== 0) throw new Error(`nfs-ganesha could not be signaled: ${describeFailure(result)}.`)
      await log.outcome()
    },
    faults: (text) => faults(bus, exportsOf(text), (path) => dirname(path) === mountDirectory),
    async sessionsLost(before, after, options) {
      const [old, next] = [exportsOf(before), exportsOf(after)]
      const isSame = JSON.stringify(old) === JSON.stringify(next) && options.gone.size === 0
      return isSame || old.length === 0 ? [] : lostSessions(old, next, await bus.clients(), options)
    },
    async release(text, paths) {
      for (const { id, path } of exportsOf(text)) if (paths.has(path)) await bus.remove(id)
    },
    async restore(text, paths) {
      const exported = await bus.exports()
      for (const { id, path } of exportsOf(text))
        if (paths.has(path) && !exported.has(id)) await bus.add(ganeshaExportsFile, id)
    },
    adopt: adoptBlocks,
    foldersOf: (text) => exportsOf(text).map(({ path }) => path),
    notes: (text) => (exportsOf(text).length === 0 ? [] : cacheNotes(machine)),
  }
}

function pidOf(machine: Machine): string | undefined {
  const pids = machine.list('/proc').filter((name) => /^\d+$/.test(name))
  return pids.find((pid) => machine.read(`/proc/${pid}/comm`)?.trim() === 'ganesha.nfsd')
}

/** Reads the path of the log from the command line, in a child: for a process that hangs there may be no answer. */
async function logOf(pid: string, run: RunCommand): Promise<string> {
  const { stdout } = await run('cat', [`/proc/${pid}/cmdline`], { deadlineMs })
  const args = stdout.split('\0')
  return args[args.indexOf('-L') + 1 || args.length] ?? defaultLog
}

function requireNoConflict(machine: Machine, ours: readonly GaneshaExport[]): void {
  const text = (machine.read(ganeshaConf) ?? '').replaceAll(/#.*/g, (comment) => ' '.repeat(comment.length))
  if (!readsOurExports(text))
    throw new Error(
      `${ganeshaConf} has no line %include "${ganeshaExportsFile}": run \`roost-agent gateway prepare\` on the node.`,
    )
  const theirs = (setting: string) =>
    new Set([...text.matchAll(new RegExp(`\\b${setting}\\s*=\\s*"?([^;"]+?)"?\\s*;`, 'gi'))].map(([, value]) => value))
  const [ids, pseudos, tags] = [theirs('Export_Id'), theirs('Pseudo'), theirs('Tag')]
  const both = ours.find(({ id, pseudo, tag }) => ids.has(String(id)) || pseudos.has(pseudo) || tags.has(tag))
  if (both !== undefined)
    throw new Error(
      `${ganeshaConf} has a manually written export with the Export_Id ${both.id} or the name of the share '${both.tag}'. Change that export, or rename the share.`,
    )
}

async function faults(
  bus: GaneshaBus,
  expected: readonly GaneshaExport[],
  isOurs: (path: string) => boolean,
): Promise<readonly string[]> {
  const exported = await bus.exports()
  const ids = new Set(expected.map(({ id }) => id))
  const stray = [...exported].filter(([id, path]) => isOurs(path) && !ids.has(id))
  return [
    ...stray.map(([id, path]) => `nfs-ganesha exports ${path} as ${id}, but should not.`),
    ...expected
      // Where the operator has Mount_Path_Pseudo, it tells the one instead of the other.
      .filter(({ id, path, pseudo }) => ![path, pseudo].includes(exported.get(id) ?? ''))
      .map(({ path, tag }) => `nfs-ganesha does not export the share '${tag}' (${path}).`),
  ]
}

/** Returns every client that loses access: the server does not know which client uses which share. */
function lostSessions(
  before: readonly GaneshaExport[],
  after: readonly GaneshaExport[],
  addresses: readonly string[],
  { gone }: LossOptions,
): readonly LiveSession[] {
  const next = new Map(after.filter(({ path }) => !gone.has(path)).map((each) => [each.path, each]))
  return before.flatMap(({ path, tag, clients }) => {
    const now = next.get(path)
    return addresses
      .filter((address) => now === undefined || losesAccess(address, clients, now.clients))
      .map((client) => ({ share: tag, client, user: null, end: async () => {} }))
  })
}

function cacheNotes(machine: Machine): readonly string[] {
  const missing = missingCacheSettings(machine.read(ganeshaConf) ?? '')
  if (missing.length === 0) return []
  return [
    `The MDCACHE settings of nfs-ganesha lack ${missing.join(' ').replace(/;$/, '.')} Without these settings, NFS clients do not see what others write, or files are not uploaded when they are closed. Run \`roost-agent gateway prepare\` on the node, and restart nfs-ganesha.`,
  ]
}
