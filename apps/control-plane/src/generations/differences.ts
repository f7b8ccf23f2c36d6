import { isDeepStrictEqual } from 'node:util'
import type { DesiredShare, DesiredState, DesiredUser } from '@roost/api-types/agent'
import { shareSettingRows } from '@roost/api-types/rest'
import type { RecordDifference } from '@roost/api-types/rest'

/** A part of a desired state that is compared as a unit. */
interface DesiredRecord extends Pick<RecordDifference, 'type' | 'id' | 'name'> {
  readonly values: Readonly<Record<string, unknown>>
}

type Records = ReadonlyMap<string, DesiredRecord>
type FieldDifference = RecordDifference['fields'][number]

/** Fields whose values are compared and never shown. */
const secretFields: ReadonlySet<string> = new Set(['password'])
const masked = '***'

/** Returns what differs between two desired states of a kind, without secrets. Null: nothing was deployed before. */
export function differencesOf(before: DesiredState | null, after: DesiredState): readonly RecordDifference[] {
  const [old, now] = [recordsOf(before), recordsOf(after)]
  const kept = [...now].flatMap(([key, record]) => differenceOf(old.get(key), record))
  const removed = [...old].flatMap(([key, record]) => (now.has(key) ? [] : [difference(record, 'removed')]))
  const all = [...kept, ...removed]
  const implied = impliedBy(all, { old, now })
  return all.filter((each) => !implied.has(each))
}

function recordsOf(state: DesiredState | null): Records {
  if (state === null) return new Map()
  const records = state.kind === 'gateway' ? gatewayRecords(state) : userRecords(state)
  return new Map(records.map((record) => [`${record.type} ${record.id ?? record.name}`, record]))
}

function gatewayRecords({ shares, storage }: DesiredState & { readonly kind: 'gateway' }): readonly DesiredRecord[] {
  const records = shares.map((share) => ({
    type: 'share' as const,
    id: share.id,
    name: share.name,
    values: valuesOf(share),
  }))
  if (storage === null) return records
  return [...records, { type: 'storage_login', id: null, name: '', values: storage }]
}

function userRecords({ users, blocked = [] }: DesiredState & { readonly kind: 'user_db' }): readonly DesiredRecord[] {
  return [
    ...users.map(({ adopted, ...values }: DesiredUser) => ({
      type: 'user' as const,
      id: null,
      name: values.user,
      values: { ...values, adopted_line: adopted?.line ?? null, adopted_groups: adopted?.groups.join(', ') ?? null },
    })),
    ...blocked.map((line) => ({ type: 'blocked_user' as const, id: null, name: line, values: {} })),
  ]
}

/** A setting that is newer than 0.1.0 is left out of a state while it has its default. */
function valuesOf(share: DesiredShare): DesiredRecord['values'] {
  const rows = shareSettingRows.filter(([, { protocol }]) => protocol === 'every' || protocol === share.protocol)
  return { ...Object.fromEntries(rows.map(([name, row]) => [name, row.default])), ...share }
}

function differenceOf(before: DesiredRecord | undefined, after: DesiredRecord): readonly RecordDifference[] {
  if (before === undefined) return [difference(after, 'added')]
  if (isDeepStrictEqual(before.values, after.values)) return []
  // Each part of the login is secret or leads to it.
  const fields = after.type === 'storage_login' ? [] : fieldsOf(before.values, after.values)
  return [difference(after, 'changed', fields)]
}

function difference(
  { type, id, name }: DesiredRecord,
  change: RecordDifference['change'],
  fields: readonly FieldDifference[] = [],
): RecordDifference {
  return { type, id, name, change, fields: [...fields] }
}

function fieldsOf(before: DesiredRecord['values'], after: DesiredRecord['values']): readonly FieldDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
    .map((field) =>
      secretFields.has(field)
        ? { field, before: masked, after: masked }
        : { field, before: plain(before[field]), after: plain(after[field]) },
    )
}

function plain(value: unknown): FieldDifference['before'] {
  return (value ?? null) as FieldDifference['before']
}

/** Returns the differences that are part of another one: they are no changes of their own. */
function impliedBy(
  all: readonly RecordDifference[],
  { old, now }: { readonly old: Records; readonly now: Records },
): ReadonlySet<RecordDifference> {
  const hasShares = (records: Records) => [...records.values()].some(({ type }) => type === 'share')
  // A gateway without shares gets no login.
  const isLoginImplied = !hasShares(old) || !hasShares(now)
  const lines = new Set(
    all
      .filter(({ type }) => type === 'user')
      .flatMap(({ name }) =>
        [old, now].flatMap((records) => records.get(`user ${name}`)?.values['adopted_line'] ?? []),
      ),
  )
  return new Set(
    all.filter(
      ({ type, name }) => (type === 'storage_login' && isLoginImplied) || (type === 'blocked_user' && lines.has(name)),
    ),
  )
}
