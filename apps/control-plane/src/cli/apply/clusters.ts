import { resolve } from 'node:path'
import { authVersionOf, keystoneFields } from '@roost/api-types/rest'
import type { ClusterIdentityInput, ClusterStorageInput } from '@roost/api-types/rest'
import type { Rpc } from '../client/api.js'
import { readKeyOf } from '../terminal/key-file.js'
import type { Described } from './documents.js'
import type { Faults } from './faults.js'
import { clusterId } from './lookups.js'
import type { Lookups } from './lookups.js'
import { differing, valuesAfter } from './step.js'
import type { Changes, Step } from './step.js'

type Fields = Readonly<Record<string, unknown>>

interface Service {
  /** Returns the fields of a document as the server keeps them. */
  readonly kept: (fields: Fields) => Fields
  readonly read: (rpc: Rpc, id: number) => Promise<object | null>
  readonly write: (rpc: Rpc, id: number, fields: Fields) => Promise<unknown>
}

/** The settings of a cluster beside its name: each a login, which is replaced as a unit and never shown with its key. */
const services: Readonly<Record<'storage' | 'identity', Service>> = {
  storage: {
    kept: (fields) => fields,
    read: ({ clusters }, id) => clusters.storage.query({ id }),
    write: ({ clusters }, id, fields) => clusters.setStorage.mutate({ id, ...(fields as ClusterStorageInput) }),
  },
  identity: {
    kept: (fields) =>
      typeof fields['auth_url'] === 'string' ? { ...fields, auth_url: fields['auth_url'].replace(/\/$/, '') } : fields,
    read: ({ clusters }, id) => clusters.identity.query({ id }),
    write: ({ clusters }, id, fields) => clusters.setIdentity.mutate({ id, ...(fields as ClusterIdentityInput) }),
  },
}

/** Plans what brings a cluster to its document. */
export async function planCluster(
  document: Described<'cluster'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const { name } = document
  const present = await lookups.cluster(name)
  const steps: Step[] = []
  if (present === undefined)
    steps.push({
      action: 'create',
      kind: 'cluster',
      name,
      changes: {},
      run: async ({ clusters }, check) => void (await clusters.create.mutate({ name, ...check })),
    })
  for (const service of ['storage', 'identity'] as const) {
    const described = document[service]
    if (described === undefined) continue
    const { key_file: keyFile, ...given } = described
    const before: Fields = { ...(present === undefined ? null : await services[service].read(lookups.rpc, present.id)) }
    const fields = loginOf(services[service].kept(given), before)
    const changes = differing(fields, before)
    if (Object.keys(changes).length === 0) continue
    if (typeof keyFile === 'string') steps.push(serviceStep(document, service, { changes, fields, keyFile }))
    else faults.add(`${document.at}: ${service}: Changes need the key. Give its path as key_file.`)
  }
  return steps
}

/** Returns a login with the fields that its document leaves out: as they are, or none where another kind of login has no such fields. */
function loginOf(given: Fields, before: Fields): Fields {
  const { cluster: _cluster, resource_uri: _uri, auth_version: _version, ...kept } = before
  const login = { ...kept, ...given }
  if (kindOf(login) === kindOf(before)) return login
  const dropped = ['user', ...keystoneFields].filter((field) => before[field] != null && !(field in given))
  return { ...login, ...Object.fromEntries(dropped.map((field) => [field, null])) }
}

/** Distinguishes versions of authentication, and application credentials from users. */
function kindOf({ auth_url: url, application_credential_id: credential }: Fields): string {
  return `${typeof url === 'string' ? authVersionOf(url) : ''} ${credential == null ? 'user' : 'credential'}`
}

function serviceStep(
  { name, folder }: Described<'cluster'>,
  service: keyof typeof services,
  { changes, fields, keyFile }: { readonly changes: Changes; readonly fields: Fields; readonly keyFile: string },
): Step {
  const named = Object.entries(changes).map(([field, change]) => [`${service}.${field}`, change])
  return {
    action: 'change',
    kind: 'cluster',
    name,
    needs: `cluster ${name}`,
    changes: Object.fromEntries(named) as Changes,
    async run(rpc, check) {
      const key = await readKeyOf(service, resolve(folder, keyFile), process.stderr)
      await services[service].write(rpc, await clusterId(rpc, name), { ...fields, key, ...check })
      return undefined
    },
  }
}

/** The roles whose flag is true without a right to their deployments until an operator approves. */
const waiting = 'waits for approval'

/** Plans what brings a node to its document. */
export async function planNode(
  { at, hostname, cluster, node_role: roles = {}, ...document }: Described<'node'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const node = await lookups.node(hostname)
  if (node === undefined) {
    faults.add(`${at}: There is no node '${hostname}'. Enroll it first: "roost token create" prints the line for it.`)
    return []
  }
  const present = await lookups.nameOf('clusters', node.cluster)
  if (cluster !== undefined && cluster !== present)
    faults.add(`${at}: Node '${hostname}' is in cluster '${present}'. A node cannot move to another cluster.`)
  const { enabled, cluster_facing_ip, outward_facing_ip, replication_facing_ip, other_ips } = document
  const fields = differing({ enabled, cluster_facing_ip, outward_facing_ip, replication_facing_ip, other_ips }, node)
  const waits = (['runs_gateway', 'runs_proxy'] as const).filter(
    (role) => node.node_role[role] && !node.roles_granted.includes(role),
  )
  const before = { ...node.node_role, ...Object.fromEntries(waits.map((role) => [role, waiting])) }
  const flags = differing(roles, before)
  const named = Object.entries(flags).map(([role, change]) => [`node_role.${role}`, change])
  const changes = { ...fields, ...(Object.fromEntries(named) as Changes) }
  if (Object.keys(changes).length === 0) return []
  const change = { ...valuesAfter(fields), ...(named.length > 0 && { node_role: valuesAfter(flags) }) }
  const run: Step['run'] = async ({ nodes }, check) => {
    const { passwords_to_rotate: known = [] } = await nodes.change.mutate({ id: node.id, change, ...check })
    return known.length === 0 ? undefined : `rotate the passwords that the node has received: ${known.join(' ')}`
  }
  return [{ action: 'change', kind: 'node', name: hostname, changes, run }]
}
