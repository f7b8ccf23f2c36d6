import { resolve } from 'node:path'
import { resourceUri, shareSettings } from '@roost/api-types/rest'
import type { GatewayShare, GatewayShareInput, UserInput } from '@roost/api-types/rest'
import { readKeyOf } from '../terminal/key-file.js'
import type { Described } from './documents.js'
import type { Faults } from './faults.js'
import { clusterId } from './lookups.js'
import type { Lookups } from './lookups.js'
import { changeStep, created, requireSet } from './record-steps.js'
import { differing } from './step.js'
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

/** Returns a share as the steps name it. */
export function shareKey(hostname: string, { name, protocol }: Pick<GatewayShare, 'name' | 'protocol'>): string {
  return `${hostname}/${name} (${protocol})`
}

function requireOwnSettings({ at, protocol, ...fields }: Described<'share'>, faults: Faults): void {
  for (const [field, { protocol: of }] of Object.entries(shareSettings))
    if (of !== 'every' && of !== protocol && (fields as Fields)[field] !== undefined)
      faults.add(`${at}: ${field}: Leave it out. It is a setting of ${of}, and the share is of protocol ${protocol}.`)
}

async function passwordOf({ folder, password_file: path = '' }: Described<'user' | 'share'>, login: string) {
  return readKeyOf(login, resolve(folder, path), process.stderr)
}
