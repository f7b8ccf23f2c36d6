import { defineConfig } from 'prisma/config'

// `prisma generate` wants to download a schema engine that it does not use; naming any executable stops that.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

export default defineConfig({ schema: 'schema', migrations: { path: 'migrations' } })
