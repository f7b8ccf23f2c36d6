import { resolve } from 'node:path'
import { resourceUri, shareSettings } from '@roost/api-types/rest'
import type { GatewayShare, GatewayShareInput, User, UserInput } from '@roost/api-types/rest'
import { listAll } from '../client/api.js'
import { exitCodes } from '../terminal/exit-codes.js'
import { readKeyOf } from '../terminal/key-file.js'
import type { Described } from './documents.js'
import type { Faults } from './faults.js'
import { clusterId } from './lookups.js'
import type { Lookups } from './lookups.js'
import { differing, valuesAfter } from './step.js'
import type { Step } from './step.js'

type Fields = Readonly<Record<string, unknown>>

/** Plans what brings a user to its document. A password is read for a new user alone, because none is ever shown. */
export async function planUser(
  document: Described<'user'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const { at, cluster, user, set, is_superuser, enabled } = document
  const name = `${cluster}/${user}`
  const filters = { user, cluster__name: cluster }
  const [present] = (await lookups.rpc.users.list.query({ filters })).objects
  if (present !== undefined) {
    requireSet(document, `User '${name}'`, present.set, faults)
    return changeStep(
      { kind: 'user', name },
      differing({ is_superuser, enabled }, { ...present }),
      (rpc, change, check) => rpc.users.change.mutate({ id: present.id, change, ...check }),
    )
  }
  if (document.password_file === undefined)
    faults.add(`${at}: User '${name}' is new. Give the path of its password as password_file.`)
  const described = { user, is_superuser, enabled, set }
  const run: Step['run'] = async (rpc, check) => {
    const password = await passwordOf(document, `user ${name}`)
    const input: Fields = { ...described, password, cluster: resourceUri('clusters', await clusterId(rpc, cluster)) }
    await rpc.users.create.mutate({ ...(input as UserInput), ...check })
    return undefined
  }
  return [{ action: 'create', kind: 'user', name, needs: `cluster ${cluster}`, changes: created(described), run }]
}

/** Plans what brings a share to its document. */
export async function planShare(
  document: Described<'share'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const { kind: _kind, at, folder: _folder, node: hostname, set, password_file: passwordFile, ...fields } = document
  const name = shareKey(hostname, fields)
  const node = await lookups.node(hostname)
  if (node === undefined) faults.add(`${at}: There is no node '${hostname}'.`)
  requireOwnSettings(document, faults)
  if (node === undefined) return []
  const filters = { name: fields.name, node: node.id, protocol: fields.protocol }
  const [present] = (await lookups.rpc.gatewayShares.list.query({ filters })).objects
  if (present !== undefined) {
    requireSet(document, `Share '${name}'`, present.set, faults)
    return changeStep({ kind: 'share', name }, differing(fields, { ...present }), (rpc, change, check) =>
      rpc.gatewayShares.change.mutate({ id: present.id, change, ...check }),
    )
  }
  const run: Step['run'] = async (rpc, check) => {
    const password = passwordFile === undefined ? {} : { password: await passwordOf(document, `share ${name}`) }
    const input: Fields = { ...fields, set, ...password, node: resourceUri('nodes', node.id) }
    await rpc.gatewayShares.create.mutate({ ...(input as GatewayShareInput), ...check })
    return undefined
  }
  const changes = created({ ...fields, set })
  return [{ action: 'create', kind: 'share', name, needs: `node ${hostname}`, changes, run }]
}

/** Plans the removal of what a set has made and its file no longer describes. */
export async function planRemovals(
  set: string,
  described: ReadonlySet<string>,
  { rpc, nameOf }: Lookups,
): Promise<readonly Step[]> {
  const filters = { set }
  const users = await listAll((range) => rpc.users.list.query({ ...range, filters }))
  const shares = await listAll((range) => rpc.gatewayShares.list.query({ ...range, filters }))
  const removals = [
    ...shares.map(async (share) => removalOf('share', shareKey(await nameOf('nodes', share.node), share), share)),
    ...users.map(async (user) => removalOf('user', `${await nameOf('clusters', user.cluster)}/${user.user}`, user)),
  ]
  return (await Promise.all(removals)).filter(({ kind, name }) => !described.has(`${kind} ${name}`))
}

/** Returns what identifies a described record, as the steps name it. */
export function keyOf(document: Described): string {
  if (document.kind === 'cluster') return `cluster ${document.name}`
  if (document.kind === 'node') return `node ${document.hostname}`
  if (document.kind === 'user') return `user ${document.cluster}/${document.user}`
  return `share ${shareKey(document.node, document)}`
}

function shareKey(hostname: string, { name, protocol }: Pick<GatewayShare, 'name' | 'protocol'>): string {
  return `${hostname}/${name} (${protocol})`
}

function removalOf(kind: 'share' | 'user', name: string, { id }: GatewayShare | User): Step {
  return {
    action: 'remove',
    kind,
    name,
    changes: {},
    async run(rpc, check) {
      await rpc[kind === 'share' ? 'gatewayShares' : 'users'].remove.mutate({ id: Number(id), ...check })
      return undefined
    },
  }
}

type Write = (rpc: Lookups['rpc'], change: Fields, check: Parameters<Step['run']>[1]) => Promise<unknown>

function changeStep(record: Pick<Step, 'kind' | 'name'>, changes: Step['changes'], write: Write): readonly Step[] {
  if (Object.keys(changes).length === 0) return []
  const run: Step['run'] = async (rpc, check) => void (await write(rpc, valuesAfter(changes), check))
  return [{ ...record, action: 'change', changes, run }]
}

/** Every field that a new record gets from its document. */
function created(described: Fields): Step['changes'] {
  return differing(described, {})
}

/** A record of another set stays with it: two files would undo each other's changes. */
function requireSet(
  { at, kind, set }: Described<'user' | 'share'>,
  record: string,
  present: string | undefined,
  faults: Faults,
): void {
  if (set === undefined || present === undefined || set === present) return
  const hint = `Take it out of that set with "roost ${kind} set … --set null", or remove it from this file.`
  faults.add(`${at}: ${record} belongs to the set '${present}'. ${hint}`, exitCodes.conflict)
}

function requireOwnSettings({ at, protocol, ...fields }: Described<'share'>, faults: Faults): void {
  for (const [field, { protocol: of }] of Object.entries(shareSettings))
    if (of !== 'every' && of !== protocol && (fields as Fields)[field] !== undefined)
      faults.add(`${at}: ${field}: Leave it out. It is a setting of ${of}, and the share is of protocol ${protocol}.`)
}

async function passwordOf({ folder, password_file: path = '' }: Described<'user' | 'share'>, login: string) {
  return readKeyOf(login, resolve(folder, path), process.stderr)
}
