import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import {
  AlertReceiverKind,
  ClusterIdentityInput,
  ClusterStorageInput,
  RoleFlags,
  SetName,
  shareSettings,
} from '@roost/api-types/rest'
import { LineCounter, parseAllDocuments } from 'yaml'
import type { Document as YamlDocument } from 'yaml'
import { z } from 'zod'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { Faults } from './faults.js'

// The API checks the values. Here only that each field has a name that it knows, and what identifies a record.
const Name = z.union([z.string().min(1), z.number().transform(String)])
const value = z.unknown().optional()
const common = { set: SetName.optional() }

const settings = Object.fromEntries(Object.keys(shareSettings).map((field) => [field, value]))

/** A login without its key, which is in a file of its own. */
function loginOf(shape: object) {
  const { key: _key, ...fields } = Object.fromEntries(Object.keys(shape).map((field) => [field, value]))
  return z.strictObject({ ...fields, key_file: z.string().optional() })
}

const ClusterDocument = z.strictObject({
  kind: z.literal('cluster'),
  name: Name,
  storage: loginOf(ClusterStorageInput.shape).optional(),
  identity: loginOf(ClusterIdentityInput.shape).optional(),
  ...common,
})
const NodeDocument = z.strictObject({
  kind: z.literal('node'),
  hostname: Name,
  cluster: Name.optional(),
  enabled: value,
  cluster_facing_ip: value,
  outward_facing_ip: value,
  replication_facing_ip: value,
  other_ips: value,
  node_role: z.strictObject(RoleFlags.partial().shape).optional(),
  ...common,
})
const UserDocument = z.strictObject({
  kind: z.literal('user'),
  cluster: Name,
  user: Name,
  is_superuser: value,
  enabled: value,
  password_file: z.string().optional(),
  ...common,
})
const ShareDocument = z.strictObject({
  kind: z.literal('share'),
  node: Name,
  name: Name,
  protocol: z.enum(['nfs', 'cifs']).default('nfs'),
  objectstore_container: value,
  enabled: value,
  ...settings,
  password_file: z.string().optional(),
  ...common,
})
const AlertRuleDocument = z.strictObject({
  kind: z.literal('alert_rule'),
  code: Name,
  cluster: Name.nullable().default(null),
  enabled: value,
  severity: value,
  for_seconds: value,
  comment: value,
  ...common,
})
const AlertMetricRuleDocument = z.strictObject({
  kind: z.literal('alert_metric_rule'),
  name: Name,
  cluster: Name.nullable().default(null),
  level: z.enum(['node', 'cluster']).default('node'),
  metric: value,
  comparison: value,
  threshold: value,
  end_threshold: value,
  for_seconds: value,
  severity: value,
  enabled: value,
  comment: value,
  ...common,
})
const AlertReceiverDocument = z.strictObject({
  kind: z.literal('alert_receiver'),
  name: Name,
  // The API calls it kind, which is here the kind of the document.
  type: AlertReceiverKind,
  cluster: Name.nullable().default(null),
  least_severity: value,
  send_resolved: value,
  enabled: value,
  settings_file: z.string().optional(),
  ...common,
})
const documents = [
  ClusterDocument,
  NodeDocument,
  UserDocument,
  ShareDocument,
  AlertRuleDocument,
  AlertMetricRuleDocument,
  AlertReceiverDocument,
] as const
const Document = z.discriminatedUnion('kind', documents, {
  error: 'Select cluster, node, user, share, alert_rule, alert_metric_rule or alert_receiver.',
})
type Document = z.output<typeof Document>

/** One record as a file describes it. */
export type Described<K extends Document['kind'] = Document['kind']> = Extract<Document, { readonly kind: K }> & {
  /** File and line, for messages. */
  readonly at: string
  /** The folder that paths in the document are relative to. */
  readonly folder: string
}

export interface DescribedFile {
  /** The set that all records of the file belong to; undefined if the file names none. */
  readonly set: string | undefined
  readonly records: readonly Described[]
}

/** Reads files of documents; `-` is standard input. Throws with every fault. */
export async function readFiles(paths: readonly string[], input: NodeJS.ReadStream): Promise<readonly DescribedFile[]> {
  const faults = new Faults()
  const files: DescribedFile[] = []
  for (const path of paths) files.push(parseFile(path, await readText(path, input), faults))
  const sets = files.flatMap(({ set }) => set ?? [])
  for (const set of new Set(sets.filter((one, at) => sets.indexOf(one) !== at)))
    faults.add(`Several files name the set '${set}'. Give each file a set of its own, or join the files.`)
  faults.end()
  return files
}

async function readText(path: string, input: NodeJS.ReadStream): Promise<string> {
  if (path === '-') return textOf(input)
  return readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read the file ${path} (${code}).`, exitCodes.usage)
  })
}

function parseFile(path: string, text: string, faults: Faults): DescribedFile {
  const lines = new LineCounter()
  const name = path === '-' ? 'standard input' : path
  const folder = path === '-' ? process.cwd() : dirname(resolve(path))
  const parts = parseAllDocuments(text, { lineCounter: lines })
  const [header, ...others] = [...('empty' in parts ? [] : parts)]
    .map((document) => ({ at: `${name}:${lineOf(document, lines)}`, value: valueOf(document, name, faults) }))
    .filter(({ value: found }) => found !== null && found !== undefined)
  if (header === undefined) return { set: undefined, records: [] }
  const parsed = z.strictObject({ set: SetName }).safeParse(header.value)
  const set = parsed.success ? parsed.data.set : undefined
  const described = parsed.success ? others : [header, ...others]
  return { set, records: described.flatMap((one) => parseRecord({ ...one, folder }, set, faults)) }
}

function valueOf(document: YamlDocument, name: string, faults: Faults): unknown {
  for (const { message } of document.errors) faults.add(`${name}: ${message.split('\n', 1)[0] ?? ''}`)
  // Aliases of aliases could grow without a bound.
  return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 })
}

function lineOf({ contents }: YamlDocument, lines: LineCounter): number {
  const start = (contents as { readonly range?: readonly number[] } | null)?.range?.[0] ?? 0
  return lines.linePos(start).line
}

interface Found {
  readonly at: string
  readonly folder: string
  readonly value: unknown
}

function parseRecord({ at, folder, value: found }: Found, set: string | undefined, faults: Faults): Described[] {
  const { data, error } = Document.safeParse(found)
  if (data === undefined) {
    for (const { path, message } of error.issues) faults.add(`${at}: ${[...path, message].join(': ')}`)
    return []
  }
  if (set !== undefined && data.set !== undefined && data.set !== set)
    faults.add(`${at}: The file names the set '${set}', and this record the set '${data.set}'.`)
  return [{ ...data, ...(set !== undefined && { set }), at, folder }]
}
