import { watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DesiredState, DriftedItem } from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import type { Applier, Outcome, ReportProgress } from '../../deployments/applier.js'
import { readManagedFile, removeManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import { reloadCost } from './reload-cost.js'
import { knownOf, loginChecks, loginsToRevoke } from './changes.js'
import type { KnownUser } from './changes.js'
import { checkCandidate } from './check.js'
import { driftOf } from './drift.js'
import { inForceFile } from './in-force.js'
import type { InForceFile } from './in-force.js'
import { failedLogin } from './login.js'
import { checkCollisions, fileName, findLocation, folderOf } from './location.js'
import type { ProxyProcess, Reader } from './proxy-process.js'
import type { ProxySettings } from './proxy-settings.js'
import { oldWorkersEnded, reloadProxies, settledProxies } from './reload.js'
import type { ReloadOptions } from './reload.js'
import { replacedEntries } from './lines/adopted.js'
import type { UserEntry } from './lines/entry.js'
import { entriesOf, parseUserFile, renderUserFile } from './lines/render.js'
import { endTokens } from './tokens.js'
import type { Intent } from './intent.js'
import { applied, completed } from './outcome.js'
import { planOf } from './plan.js'

export interface UserDbOptions extends ReloadOptions {
  /** The folder of the agent's state for this kind. */
  readonly dir: string
  /** The UUID of the node. */
  readonly node: string
  readonly swiftDirectory: string
}

type Users = DesiredState & { readonly kind: 'user_db' }

/**
 * Deploys the users of a cluster to the tempauth of this node's proxy, as a file in the folder that the proxy reads. The previous
 * file is kept beside it, hidden from the proxy, until the new one works.
 */
export function createUserDbApplier(options: UserDbOptions): Applier<'user_db'> {
  const { machine, kernel, swiftDirectory, dir, node, run } = options
  const kept = inForceFile(dir, node)
  const locate = () => findLocation(machine, kernel, swiftDirectory)

  async function intend(desired: Users): Promise<Intent> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const location = locate()
    const file = machine.path(location.file)
    const now = (await readManagedFile(file))?.toString() ?? null
    const saved = (await readManagedFile(backupOf(file)))?.toString()
    const before = saved === undefined ? now : saved || null
    const { operatorUsers: operator } = location.settings
    const entries = entriesOf(desired, { operator, own: parseUserFile(now ?? '') })
    checkCollisions(location, entries, adoptedLines(desired))
    const own = parseUserFile(before ?? '')
    const replaced = replacedEntries(entries, { operator, own })
    const text = renderUserFile(location.settings.section, entries)
    const revoked = await revokedLogins(kept, knownOf([...own, ...replaced]), entries)
    return { location, entries, text, now, before, isHalfDone: saved !== undefined, revoked, replaced }
  }

  const check = ({ location, entries, text }: Intent) => {
    const reader = readerOf(location.proxies)
    return checkCandidate(run, dir, { folder: machine.path(location.folder), name: fileName, text, entries, reader })
  }

  return {
    kind: 'user_db',
    async plan(desired) {
      const intent = await intend(desired)
      if (intent.text !== intent.now) await check(intent)
      return planOf(intent, reloadCost(kernel))
    },
    async apply(desired, generation, progress) {
      const intent = await intend(desired)
      if (await isDone(intent)) return applied(intent, generation, kept, [])
      progress('planned')
      return change({ ...options, kept, check }, intent, generation, progress)
    },
    complete: () => completed(kept, () => locate().settings),
    async drift(): Promise<readonly DriftedItem[]> {
      const inForce = await kept.read()
      if (inForce === null) return []
      return driftOf(inForce.users, machine.read(`${folderOf(swiftDirectory)}/${fileName}`), locate)
    },
    watch: (changed) => watchFolder(machine.path(folderOf(swiftDirectory)), changed),
  }
}

/** Returns the logins whose tokens must end, also those that an earlier deployment could not end. */
async function revokedLogins(kept: InForceFile, before: readonly KnownUser[], entries: readonly UserEntry[]) {
  const { users = [], pending = [] } = (await kept.read()) ?? {}
  return [...new Set([...loginsToRevoke([...before, ...users], entries), ...pending])]
}

/** The lines of the operator that the deployment may replace. */
function adoptedLines({ users, blocked = [] }: Users): ReadonlySet<string> {
  return new Set([...users.flatMap(({ adopted }) => adopted?.line ?? []), ...blocked])
}

/** Watches the folder. A missing folder has no drift: it is created before the first deployment. */
function watchFolder(folder: string, changed: () => void): () => void {
  try {
    const watcher = watch(folder, changed)
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => {}
  }
}

/** Returns the account with which a proxy reads its folder. */
function readerOf([first]: readonly ProxyProcess[]): Reader {
  if (first === undefined) throw new Error('No proxy server runs on this node.')
  return first.reader
}

/** Returns a hidden name with an extension that the proxy ignores. */
function backupOf(file: string): string {
  return join(file, '..', `.${fileName}.before`)
}

/** Returns true if the proxy already has this state. */
async function isDone({ location, entries, text, now, isHalfDone, revoked }: Intent): Promise<boolean> {
  if (text !== now || isHalfDone || revoked.length > 0) return false
  return (await failedLogin(location.settings, loginChecks([], entries.slice(0, 1)))) === null
}

interface Changing extends UserDbOptions {
  readonly kept: InForceFile
  readonly check: (intent: Intent) => Promise<void>
}

async function change(
  options: Changing,
  intent: Intent,
  generation: number,
  progress: ReportProgress,
): Promise<Outcome> {
  const { location, text, before, entries, revoked, replaced } = intent
  const file = options.machine.path(location.file)
  // A proxy that does not settle fails here, before any change.
  const proxies = await settledProxies(
    options,
    location.proxies.map(({ pid }) => pid),
    location.settings,
  )
  const write = (path: string, content: string) => writeManagedFile(path, content, 0o640, readerOf(proxies).gids[0])
  fp('agent.apply.afterStage')
  await options.check(intent)
  fp('agent.apply.afterValidate')
  progress('staged')
  if (!intent.isHalfDone) await write(backupOf(file), before ?? '')
  let notReached: readonly string[]
  try {
    await write(file, text)
    fp('agent.apply.afterRename')
    await reloadProxies(
      options,
      proxies,
      location.settings,
      loginChecks([...parseUserFile(before ?? ''), ...replaced], entries),
    )
    fp('agent.apply.afterReload')
    notReached = await revoke(options, location.settings, proxies, revoked)
  } catch (error) {
    return rollBack(options, intent, proxies, (error as Error).message)
  }
  const outcome = await applied(intent, generation, options.kept, notReached)
  await removeManagedFile(backupOf(file))
  return outcome
}

/** Revokes twice while previous workers finish their requests, because one of these may be a login. */
async function revoke(
  options: Changing,
  settings: ProxySettings,
  before: readonly ProxyProcess[],
  logins: readonly string[],
): Promise<readonly string[]> {
  if (logins.length === 0) return []
  await endTokens(settings, logins)
  await oldWorkersEnded(options, before)
  return (await endTokens(settings, logins)).notReached
}

/** Restores the previous file first, so that any start of the proxy from now on uses it. */
async function rollBack(
  options: Changing,
  { location, before, entries, replaced }: Intent,
  proxies: readonly ProxyProcess[],
  reason: string,
): Promise<Outcome> {
  const { machine, run, dir, kept } = options
  const file = machine.path(location.file)
  const in_force = (await kept.read())?.generation ?? 0
  const users = parseUserFile(before ?? '')
  try {
    if (before === null) await removeManagedFile(file)
    else await writeManagedFile(file, before, 0o640, readerOf(proxies).gids[0])
    const folder = machine.path(location.folder)
    const reader = readerOf(proxies)
    await checkCandidate(run, dir, { folder, name: fileName, text: before, entries: users, reader })
    await reloadProxies(options, proxies, location.settings, loginChecks(entries, [...users, ...replaced]))
    await removeManagedFile(backupOf(file))
    return { outcome: 'rolled_back', in_force, message: `${reason} The previous users are restored.`, files: [] }
  } catch (error) {
    const message = `${reason} The rollback failed as well: ${(error as Error).message}`
    return { outcome: 'failed', in_force, message, files: [] }
  }
}
