import { isDeepStrictEqual } from 'node:util'
import type { Kind, Outcome, Row } from '../http/transports.js'
import { cifsDefaults, commonDefaults, nfsDefaults } from '../gateway/share-defaults.js'

const optionsOf = (protocol: unknown): Row => (protocol === 'cifs' ? cifsDefaults : nfsDefaults)

/** A second, simplest implementation of what users and shares must be after any sequence of writes. */
export interface RecordsModel {
  /** What a creation must answer without `id` and `resource_uri`; the status when it must be refused. */
  create(kind: Kind, body: Row): Row | number
  change(kind: Kind, id: number, change: Row): Row | number
  /** Applies the answer of a write. Throws when it differs from the expected one. */
  accept(kind: Kind, id: number | undefined, expected: Row | number | null, outcome: Outcome): void
  ids(kind: Kind): readonly number[]
  list(kind: Kind): readonly Row[]
  /** Writes that succeeded. */
  readonly written: number
}

export function createModel(): RecordsModel {
  const rows = { users: new Map<number, Row>(), gateway_shares: new Map<number, Row>() }
  let written = 0
  const clashes = (kind: Kind, row: Row, self?: number) =>
    [...rows[kind]].some(
      ([id, other]) => id !== self && keysOf(kind, other).some((key) => keysOf(kind, row).includes(key)),
    )
  const orRefused = (kind: Kind, row: Row, self?: number) => (clashes(kind, row, self) ? 400 : row)
  return {
    create: (kind, body) => orRefused(kind, kind === 'users' ? newUser(body) : newShare(body)),
    change(kind, id, change) {
      const before = rows[kind].get(id)
      if (before === undefined) return 404
      return orRefused(kind, kind === 'users' ? { ...before, ...change } : changedShare(before, change), id)
    },
    accept(kind, id, expected, outcome) {
      const got = 'refused' in outcome ? outcome.refused : outcome.record
      if (typeof expected === 'number' || typeof got === 'number') return assertSame(kind, expected, got)
      written += 1
      if (expected === null || got === null) {
        rows[kind].delete(id ?? 0)
        return assertSame(kind, expected, got)
      }
      const made = Number(got['id'])
      const identity = { id: kind === 'users' ? String(made) : made, resource_uri: `/api/v1/${kind}/${made}/` }
      assertSame(kind, { ...expected, ...accessKey(kind, expected), ...identity }, got)
      const { password: _, s3_access_key: __, ...kept } = got
      rows[kind].set(made, kept)
    },
    ids: (kind) => [...rows[kind].keys()],
    list: (kind) => [...rows[kind]].toSorted(([one], [other]) => one - other).map(([, row]) => row),
    get written() {
      return written
    },
  }
}

function assertSame(kind: Kind, expected: unknown, got: unknown): void {
  if (isDeepStrictEqual(expected, got)) return
  throw new Error(`${kind}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`)
}

/** An answer with the password of a user has its access key as well. */
function accessKey(kind: Kind, { user, password }: Row): Row {
  return kind === 'users' && password !== undefined ? { s3_access_key: `${String(user)}:${String(user)}` } : {}
}

function newUser({ cluster, user, password, is_superuser = false, enabled = true }: Row): Row {
  return { cluster: `/api/v1/clusters/${Number(cluster)}/`, user, is_superuser, enabled, password }
}

function newShare({ node, protocol = 'nfs', ...body }: Row): Row {
  return changedShare({ ...commonDefaults, protocol, ...optionsOf(protocol) }, { ...body, node, protocol })
}

function changedShare(before: Row, { node, ...change }: Row): Row {
  const protocol = change['protocol'] ?? before['protocol']
  const options = optionsOf(protocol)
  const others = Object.keys(protocol === 'cifs' ? nfsDefaults : { ...cifsDefaults, password: '' })
  const present = protocol === before['protocol'] ? before : { ...withoutOptions(before), ...options }
  const sent = Object.entries(change).filter(([field]) => !others.includes(field))
  const parent = node === undefined ? {} : { node: `/api/v1/nodes/${Number(node)}/` }
  return { ...present, ...Object.fromEntries(sent), ...parent, protocol }
}

function withoutOptions(share: Row): Row {
  return Object.fromEntries(
    Object.entries(share).filter(([field]) => !(field in nfsDefaults) && !(field in cifsDefaults)),
  )
}

/** No two records may have one of these in common. */
function keysOf(kind: Kind, row: Row): readonly string[] {
  if (kind === 'gateway_shares') {
    const name = String(row['name'])
    return [
      `${String(row['node'])} ${String(row['protocol'])} ${row['protocol'] === 'cifs' ? name.toLowerCase() : name}`,
    ]
  }
  const name = String(row['user'])
  const line = name.includes('_') ? Buffer.from(name).toString('base64').replace(/=+$/, '') : name
  return [`${String(row['cluster'])} ${name.toLowerCase()}`, `${String(row['cluster'])} line ${line.toLowerCase()}`]
}
