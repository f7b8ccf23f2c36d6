import { PrismaPg } from '@prisma/adapter-pg'
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import type { Connection } from './client.js'
import { withCompleteScripts } from './complete-scripts.js'

// adapter-pg knows no "char" (oid 18), which the engine reads from the catalogue when it describes a schema.
const charOid = 18
const textOid = 25
const charColumns = new WeakMap<object, readonly number[]>()

class CatalogPool extends pg.Pool {
  override query = (async (...args: Parameters<pg.Pool['query']>) => {
    const query = super.query.bind(this) as (...args: unknown[]) => Promise<pg.QueryArrayResult>
    const result = await query(...args)
    for (const one of [result].flat()) noteCharColumns(one) // a script has a result for each statement
    return result
  }) as unknown as pg.Pool['query']
}

function noteCharColumns({ fields, rows }: pg.QueryArrayResult): void {
  const at = fields.flatMap((field, i) => (field.dataTypeID === charOid ? [i] : []))
  for (const i of at) Object.assign(fields[i] as object, { dataTypeID: textOid })
  charColumns.set(rows, at)
}

async function open(connection: pg.PoolConfig): Promise<SqlDriverAdapter> {
  const pool = new CatalogPool(connection)
  const factory = new PrismaPg(pool, { disposeExternalPool: true, onPoolError: () => {} })
  const adapter = withCompleteScripts(await factory.connect())
  const query = adapter.queryRaw.bind(adapter)
  return Object.assign(adapter, {
    async queryRaw(...args: Parameters<typeof query>) {
      const result = await query(...args)
      for (const i of charColumns.get(result.rows) ?? []) result.columnTypes[i] = ColumnTypeEnum.Character
      return result
    },
  })
}

/** An adapter that can describe a database, with shadow databases that live as long as their throw-away server. */
export function describingAdapter(connection: Connection): SqlMigrationAwareDriverAdapterFactory {
  const connect = () => open(connection)
  return {
    provider: 'postgres',
    adapterName: 'roost-describing',
    connect,
    async connectToShadowDb() {
      const database = `shadow_${crypto.randomUUID()}`
      const main = await connect()
      await main.executeScript(`CREATE DATABASE "${database}"`)
      await main.dispose()
      return open({ ...connection, database })
    },
  }
}
