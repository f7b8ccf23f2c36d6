import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils'

/**
 * Runs a script as one: all of it or nothing. adapter-pg cuts scripts at each `;`, also inside a function's body, and
 * leaves half of a migration behind when a later part fails.
 */
export function withCompleteScripts(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const run = adapter.executeRaw.bind(adapter)
  return Object.assign(adapter, {
    async executeScript(script: string) {
      // Without arguments PostgreSQL takes several statements at once.
      await run({ sql: script, args: [], argTypes: [] })
    },
  })
}
