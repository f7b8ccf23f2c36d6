import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as wasm from '@prisma/schema-engine-wasm/schema_engine_bg'

export type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'

/** Tables and enums that are not Prisma's business: none. */
export const filters = { externalTables: [], externalEnums: [] }

// @types/node 20 declares no WebAssembly, and the DOM's types are too much for two functions.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: Record<string, object>): Promise<{ readonly exports: Record<string, unknown> }>
}

let loading: Promise<void> | undefined

/** Prisma's own schema engine, built for WASM: no binary, no network. Call `free()` on it at the end. */
export async function openSchemaEngine(
  adapter: SqlMigrationAwareDriverAdapterFactory,
  log: (message: string) => void,
): Promise<wasm.SchemaEngine> {
  loading ??= load(log)
  await loading
  return wasm.SchemaEngine.new(
    // It panics without any schema; one without models is enough to apply migrations.
    { datamodels: [['datasource.prisma', 'datasource db {\n  provider = "postgresql"\n}\n']] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapter),
  )
}

async function load(log: (message: string) => void): Promise<void> {
  // Without it a panic shows as "Cannot read properties of undefined".
  const registry = { set_message: (message: string) => log(`the schema engine panicked: ${message}`) }
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: registry })
  const packageDir = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'))
  const module = await WebAssembly.compile(readFileSync(join(packageDir, 'schema_engine_bg.wasm')))
  const { exports } = await WebAssembly.instantiate(module, {
    './schema_engine_bg.js': { ...wasm, ...unreferencedTimers() },
  })
  const glue = wasm as unknown as Record<string, (exports: unknown) => void>
  glue['__wbg_set_wasm']?.(exports)
  ;(exports['__wbindgen_start'] as () => void)()
}

/** The engine's lock timer of 10 s is never cleared; it must not keep a finished process alive. */
function unreferencedTimers(): Record<string, unknown> {
  const timers = Object.entries(wasm).filter(([name]) => /setTimeout/i.test(name))
  return Object.fromEntries(
    timers.map(([name, set]) => [
      name,
      (...args: unknown[]) => {
        const timer = (set as unknown as (...args: unknown[]) => Partial<NodeJS.Timeout>)(...args)
        timer.unref?.()
        return timer
      },
    ]),
  )
}
