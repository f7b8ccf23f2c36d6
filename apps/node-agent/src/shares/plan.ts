import type { DeploymentPlan } from '@roost/api-types/agent'
import type { Machine } from '../machine/machine.js'
import type { GatewayState as DesiredGateway, MountPlan } from '../mounts/desired/mounts.js'
import type { Gateway } from './gateway.js'
import type { InForce } from './gateway-state.js'
import { shareProtocols } from './index.js'
import { requireOwnFiles } from './prepare.js'
import type { LiveSession, NameOf } from './servers/share-server.js'
import type { ServerChange } from './server-change.js'
import { unifiedDiff } from '../machine/unified-diff.js'

/** Plans a deployment of these shares. Rejects with the reason where it could not be done. */
export async function planGateway(gateway: Gateway, desired: DesiredGateway): Promise<DeploymentPlan> {
  const { servers, mounts, accounts, state } = gateway
  const inForce = await state.readInForce()
  const serverChanges: ServerChange[] = []
  for (const protocol of shareProtocols)
    serverChanges.push(...(await servers.serverChanges(protocol, desired.shares, inForce.generation)))
  await requireReady(gateway.machine, serverChanges)
  for (const { server, text, changes } of serverChanges) if (changes) await server.check(text)
  const mountPlan = await mounts.plan(desired)
  const losses = { nameOf: namesOf(gateway, inForce, desired), gone: goneFolders(gateway, mountPlan) }
  const daemons = []
  for (const serverChange of serverChanges) {
    const lost = await sessionsOf(serverChange, await state.readFile(serverChange.server.file), losses)
    daemons.push({
      daemon: serverChange.server.daemon,
      action: actionOf(serverChange, lost),
      sessions_lost: lost.map(plainSession),
    })
  }
  return {
    files: await Promise.all(serverChanges.filter(({ changes }) => changes).map(plannedFile)),
    daemons,
    mounts: { started: [...mountPlan.started], stopped: [...mountPlan.stopped] },
    notes: [
      ...mountPlan.notes,
      ...serverChanges.flatMap(({ server, text }) => server.notes(text)),
      ...accountNotes(accounts.plan(desired.shares, inForce.accounts)),
    ],
  }
}

/** Rejects where a server that has something to serve cannot. */
export async function requireReady(machine: Machine, serverChanges: readonly ServerChange[]): Promise<void> {
  for (const { server, declared, text } of serverChanges) {
    if (declared.body === '') continue
    if (!server.isRunning())
      throw new Error(
        `${server.daemon} is not running on this node, but has shares to serve. Start it, and deploy again.`,
      )
    requireOwnFiles(machine, [server.file])
    await server.requireNoConflict(text)
  }
}

export function namesOf({ mounts }: Gateway, inForce: InForce, desired: DesiredGateway): NameOf {
  const names = new Map([
    ...Object.entries(inForce.names),
    ...desired.shares.map((share) => [mounts.pathOf(share), share.name] as const),
  ])
  return (path) => names.get(path) ?? path
}

/** Returns the folders whose mounts end, also those that are mounted again. */
export function goneFolders({ mounts }: Gateway, { replaced }: MountPlan): ReadonlySet<string> {
  return new Set(replaced.map((id) => mounts.pathOf({ id })))
}

/** Returns the sessions that end. The present file decides which access clients have; the applied one decides where the present one cannot be read. */
export async function sessionsOf(
  { server, present, text }: ServerChange,
  inForce: string | undefined,
  losses: Parameters<ServerChange['server']['sessionsLost']>[2],
): Promise<readonly LiveSession[]> {
  if (!server.isRunning()) return []
  const texts = new Set([present ?? '', inForce ?? present ?? ''])
  const lost = await Promise.all([...texts].map((before) => server.sessionsLost(before, text, losses)))
  const sessions = new Map(lost.flat().map((session) => [keyOf(session), session]))
  return [...sessions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, session]) => session)
}

function keyOf({ share, client, user }: LiveSession): string {
  return JSON.stringify([share, client, user])
}

function plainSession({ share, client, user }: LiveSession) {
  return { share, client, user }
}

function actionOf({ changes, server }: ServerChange, lost: readonly LiveSession[]): 'none' | 'reload' | 'close-share' {
  if (lost.length > 0 && server.keepsPermissions) return 'close-share'
  return changes ? 'reload' : 'none'
}

async function plannedFile({ server, present, declared }: ServerChange): Promise<DeploymentPlan['files'][number]> {
  return {
    path: server.file,
    change: present === undefined ? 'create' : 'change',
    diff: await unifiedDiff(server.file, bodyOf(present ?? ''), declared.body),
  }
}

/** Removes our header, whose generation and hash are noise in a diff. A foreign header is kept. */
export function bodyOf(text: string): string {
  return text.replace(/^# Written by Roost: .*\n# generation \d+, sha256 .*\n\n/, '')
}

function accountNotes({ set, removed }: { readonly set: readonly string[]; readonly removed: readonly string[] }) {
  return [
    ...set.map((name) => `The password of the Samba account ${name} will be set.`),
    ...removed.map((name) => `The Samba account ${name} will be removed.`),
  ]
}
