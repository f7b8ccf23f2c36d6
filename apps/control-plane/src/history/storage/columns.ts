import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { MetricDefinition } from '@roost/api-types/agent'
import { concurrencyLimit } from '@roost/runtime'
import { queryRows } from '../../database/database.js'
import type { Database } from '../../database/database.js'
import { compareMetrics } from '../../metrics/catalogue.js'
import type { NameList } from '../../metrics/catalogue.js'

/** The columns of chunks: names in their order. Never changes. */
export interface ColumnSet extends NameList {
  readonly id: number
  /** Ids and units of the names, by position like `metrics`. */
  readonly nameIds: readonly number[]
  readonly units: readonly string[]
}

export type NamedUnit = Pick<MetricDefinition, 'name' | 'unit'>

export interface ColumnStore {
  /** Stores the columns of a node's catalogue, so that chunks may name it. */
  storeCatalogue(nodeId: number, catalogue: number, definitions: readonly NamedUnit[]): Promise<void>
  /** Returns the columns that a node calls by this number; undefined for one that it never sent. */
  ofCatalogue(nodeId: number, catalogue: number): Promise<ColumnSet | undefined>
  /** Returns the columns with these names, stored if they are new. */
  store(definitions: readonly NamedUnit[]): Promise<ColumnSet>
  get(id: number): Promise<ColumnSet>
}

const keptSets = 500
/** A new fleet brings the same names at once. */
const writesAtOnce = 2

export function createColumnStore(database: Pick<Database, 'pool' | 'disk'>): ColumnStore {
  const sets = new LRUCache<number, ColumnSet>({ max: keptSets })
  const idsOfDigests = new LRUCache<string, number>({ max: keptSets })
  const idsOfCatalogues = new LRUCache<string, number>({ max: 20_000 })
  const writes = concurrencyLimit(writesAtOnce)

  const get = async (id: number): Promise<ColumnSet> => {
    const known = sets.get(id) ?? (await readColumns(database, id))
    sets.set(id, known)
    return known
  }
  const idOf = async (definitions: readonly NamedUnit[]): Promise<number> => {
    const digest = digestOf(definitions)
    const known = idsOfDigests.get(digest)
    if (known !== undefined) return known
    const id = await writes(() => insertColumns(database, digest, definitions))
    idsOfDigests.set(digest, id)
    return id
  }
  return {
    get,
    store: async (definitions) => get(await idOf(definitions)),
    async storeCatalogue(nodeId, catalogue, definitions) {
      const id = await idOf(definitions)
      const key = `${nodeId}/${catalogue}`
      if (idsOfCatalogues.get(key) === id) return
      await queryRows(
        database,
        `insert into metric_node_columns (node_id, catalogue, columns_id) values ($1, $2, $3)
         on conflict (node_id, catalogue) do update set columns_id = excluded.columns_id
         where metric_node_columns.columns_id <> excluded.columns_id`,
        [nodeId, catalogue, id],
      )
      idsOfCatalogues.set(key, id)
    },
    async ofCatalogue(nodeId, catalogue) {
      const key = `${nodeId}/${catalogue}`
      const id = idsOfCatalogues.get(key) ?? (await readCatalogue(database, nodeId, catalogue))
      if (id === undefined) return undefined
      idsOfCatalogues.set(key, id)
      return get(id)
    },
  }
}

function digestOf(definitions: readonly NamedUnit[]): string {
  return createHash('sha256')
    .update(JSON.stringify(definitions.map(({ name }) => name)))
    .digest('hex')
}

type Reach = Pick<Database, 'pool' | 'disk'>

async function readCatalogue(database: Reach, nodeId: number, catalogue: number): Promise<number | undefined> {
  const [row] = await queryRows<{ id: number }>(
    database,
    'select columns_id as id from metric_node_columns where node_id = $1 and catalogue = $2',
    [nodeId, catalogue],
  )
  return row?.id
}

async function insertColumns(database: Reach, digest: string, definitions: readonly NamedUnit[]): Promise<number> {
  const names = definitions.map(({ name }) => name)
  const units = definitions.map(({ unit }) => unit)
  // The order is the same in every statement, so that two of them never wait for each other.
  await queryRows(
    database,
    `insert into metric_names (name, unit)
     select g.name, g.unit from unnest($1::text[], $2::text[]) g(name, unit)
     where not exists (select from metric_names m where m.name = g.name)
     order by g.name on conflict (name) do nothing`,
    [names, units],
  )
  const [row] = await queryRows<{ id: number }>(
    database,
    `insert into metric_columns (digest, names)
     select $1, array(select m.id from unnest($2::text[]) with ordinality g(name, n)
       join metric_names m on m.name = g.name order by g.n)
     on conflict (digest) do update set digest = excluded.digest returning id`,
    [digest, names],
  )
  if (row === undefined) throw new Error('The columns of a catalogue were not stored.')
  return row.id
}

async function readColumns(database: Reach, id: number): Promise<ColumnSet> {
  const rows = await queryRows<{ id: number; name: string; unit: string }>(
    database,
    `select m.id, m.name, m.unit from metric_columns c, unnest(c.names) with ordinality g(name_id, n)
     join metric_names m on m.id = g.name_id where c.id = $1 order by g.n`,
    [id],
  )
  const metrics = rows.map(({ name }) => ({ name, json: JSON.stringify(name).slice(1, -1) }))
  const positions = Int32Array.from(metrics.keys())
  return {
    id,
    metrics,
    sorted: positions.toSorted((a, b) => compareMetrics(metrics[a]!, metrics[b]!)),
    nameIds: rows.map((row) => row.id),
    units: rows.map(({ unit }) => unit),
  }
}
