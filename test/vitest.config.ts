import { defineConfig } from 'vitest/config'

// What a test waits for comes at once on a machine at rest: these are for one that is many times slower.
export default defineConfig({
  test: {
    name: 'test',
    globalSetup: ['./support/database/database.ts'],
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
