import type { Client } from '@roost/api-types'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { apiKeyPath } from '../../operators/first-operator.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'
import { describeUnreachable, findConnection } from './target.js'
import type { Connection } from './target.js'

export type Rpc = Client['rpc']
type Records<T> = T extends { readonly objects: readonly (infer R)[] } ? R : never
export type ClusterRecord = Records<Awaited<ReturnType<Rpc['clusters']['list']['query']>>>
export type DeviceRecord = Records<Awaited<ReturnType<Rpc['devices']['list']['query']>>>
export type NodeRecord = Records<Awaited<ReturnType<Rpc['nodes']['list']['query']>>>

/** Calls the API for one command. An error of the API ends the command with its message and an exit code. */
export async function withApi<T>(
  config: Config,
  use: (rpc: Rpc) => Promise<T>,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const connection = await findConnection(config)
  const { url, ca } = connection
  // Loaded here, because help and completion need no client.
  const { createClient } = await import('@roost/api-types')
  const { validateOnly = false, timeoutMs } = config.call ?? {}
  const client = createClient({
    url,
    apiKey: requireKey(connection, config),
    headers,
    validateOnly,
    ...(ca !== undefined && { ca }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  try {
    return await use(client.rpc)
  } catch (error) {
    throw commandError(error, url)
  } finally {
    await client.close()
  }
}

/** Returns the key of a connection. Throws where there is none. */
export function requireKey({ apiKey }: Connection, { dataDir }: Config): string {
  if (apiKey !== undefined) return apiKey
  throw new CommandError(
    `Cannot read a key from ${apiKeyPath(dataDir)}. Set ROOST_API_KEY to NAME:KEY, or ROOST_DATA_DIR to the data directory of Roost, or run "roost login URL".`,
    exitCodes.unauthorized,
  )
}

const codesOfAnswers: Readonly<Record<string, number>> = {
  BAD_REQUEST: exitCodes.usage,
  UNAUTHORIZED: exitCodes.unauthorized,
  FORBIDDEN: exitCodes.unauthorized,
  NOT_FOUND: exitCodes.notFound,
  CONFLICT: exitCodes.conflict,
  PRECONDITION_FAILED: exitCodes.conflict,
  TIMEOUT: exitCodes.timeout,
}

/** Returns the error of a call as that of a command; another one as it is. */
export function commandError(error: unknown, url = 'The control plane'): unknown {
  if (!(error instanceof Error) || error.name !== 'TRPCClientError') return error
  const { data, message, cause } = error as Error & { readonly data?: { readonly code?: string } | null }
  const code = data?.code
  if (code !== undefined) return new CommandError(message, codesOfAnswers[code] ?? exitCodes.error)
  if (isTimeout(error)) return new CommandError(`${url} did not answer within --request-timeout.`, exitCodes.timeout)
  return new CommandError(describeUnreachable(url, cause ?? error))
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause))
}

export interface ListRange {
  readonly limit: number
  readonly offset: number
}

export interface ListPage<R> {
  readonly objects: readonly R[]
  readonly total: number
}

/** Reads all records of a list, in pages of the largest size. */
export async function listAll<R>(page: (range: ListRange) => Promise<ListPage<R>>): Promise<readonly R[]> {
  const all: R[] = []
  for (let total = Infinity; all.length < total;) {
    const { objects, total: now } = await page({ limit: 1000, offset: all.length })
    if (objects.length === 0) break
    all.push(...objects)
    total = now
  }
  return all
}

interface ReadById<R> {
  readonly getMany: { query(input: { ids: string[] }): Promise<readonly R[]> }
}

/** Returns the record of an id; none for a text that is no id. */
export async function recordsById<R>({ getMany }: ReadById<R>, text: string): Promise<readonly R[]> {
  return /^\d{1,9}$/.test(text) ? getMany.query({ ids: [text] }) : []
}

/** Finds a record that has no name. */
export async function findById<R extends { readonly id: number }>(
  noun: string,
  records: ReadById<R>,
  text: string,
): Promise<R> {
  return pick(noun, text, await recordsById(records, text), ({ id }) => String(id))
}

interface Named<R, F extends string> extends ReadById<R> {
  readonly list: { query(input: { filters: Readonly<Record<F, string>> }): Promise<ListPage<R>> }
}

/** Finds a record by the field that names it, or by its id, without reading all others. */
export async function findNamed<F extends string, R extends Readonly<Record<F, string>> & { readonly id: number }>(
  noun: string,
  records: Named<R, F>,
  field: F,
  text: string,
): Promise<R> {
  const { objects } = await records.list.query({ filters: { [field]: text } as Record<F, string> })
  const byId = await recordsById(records, text)
  return pick(noun, text, [...objects, ...byId], (record) => record[field])
}

/** An error names so many ids of records with one name. */
const maxIds = 20

/** Returns the record of a name or an id. */
export function pick<R extends { readonly id: number }>(
  noun: string,
  nameOrId: string,
  records: readonly R[],
  nameOf: (record: R) => string,
): R {
  const byId = records.find((record) => String(record.id) === nameOrId)
  const named = records.filter((record) => nameOf(record) === nameOrId)
  const [only] = named.length > 0 ? named : byId ? [byId] : []
  if (named.length > 1)
    throw new CommandError(
      `${named.length} ${noun}s are named '${nameOrId}'. Use an id instead: ${idsOf(named)}.`,
      exitCodes.conflict,
    )
  if (!only) throw new CommandError(`${noun} '${nameOrId}' not found.`, exitCodes.notFound)
  return only
}

function idsOf(records: readonly { readonly id: number }[]): string {
  const ids = records.slice(0, maxIds).map(({ id }) => id)
  return [...ids, ...(records.length > maxIds ? ['…'] : [])].join(', ')
}

/** Finds a cluster by its name or id, without reading all others. */
export function findCluster({ clusters }: Pick<Rpc, 'clusters'>, nameOrId: string): Promise<ClusterRecord> {
  return findNamed('cluster', clusters, 'name', nameOrId)
}

/** Calls the API for the cluster of a name or an id. */
export function withCluster(
  config: Config,
  nameOrId: string,
  work: (clusters: Rpc['clusters'], cluster: ClusterRecord) => Promise<void>,
): Promise<void> {
  return withApi(config, async (rpc) => work(rpc.clusters, await findCluster(rpc, nameOrId)))
}

/** A command that prints all records of a kind. */
interface ListCommand<R> {
  readonly description: string
  readonly view: View<R>
  readonly page: (rpc: Rpc, range: ListRange) => Promise<ListPage<R>>
}

export function addList<R>(
  parent: Command,
  config: () => Config,
  terminal: Terminal,
  { description, view, page }: ListCommand<R>,
): void {
  withWatch(withOutput(parent.command('list')))
    .description(description)
    .action((options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => print(terminal, await listAll((range) => page(rpc, range)), view, options)),
      ),
    )
}

/** Finds a node by its hostname or id, without reading all others. */
export async function nodeOf(nodes: Rpc['nodes'], nameOrId: string): Promise<NodeRecord> {
  return findNamed('node', nodes, 'hostname', nameOrId)
}

/**
 * Finds a device by name, id, serial number or UUID. All others are read where none has the name: the API has no filter by the latter
 * two, and a number may be the id of one device and the serial number of another.
 */
export async function findDevice({ devices }: Pick<Rpc, 'devices'>, text: string): Promise<DeviceRecord> {
  const named = await listAll((range) => devices.list.query({ ...range, filters: { name: text } }))
  if (named.length > 0) return pick('device', text, named, ({ name }) => name)
  const all = await listAll((range) => devices.list.query(range))
  const found = all.filter(({ id, serial, uuid }) => [String(id), serial, uuid].includes(text))
  return pick('device', text, found, () => text)
}
