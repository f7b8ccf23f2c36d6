import { defineConfig } from 'vitest/config'
import { SkippedReporter } from './test/support/skipped-reporter.js'

export default defineConfig({
  test: {
    projects: ['prisma', 'packages/*', 'apps/*', 'test'],
    reporters: ['default', new SkippedReporter()],
  },
})
