import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { name: 'test', globalSetup: ['./support/database.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
})
