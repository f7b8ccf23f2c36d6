import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { name: 'test', globalSetup: ['./support/database.ts'], testTimeout: 30_000, hookTimeout: 60_000 },
})
