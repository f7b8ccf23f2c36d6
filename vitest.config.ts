import { defineConfig } from 'vitest/config'
import { SkippedReporter } from './test/skipped-reporter.js'

/** The file for a report in JSON, which `.ci/run` counts. */
const report = process.env['ROOST_TEST_REPORT']

export default defineConfig({
  test: {
    // Most suites wait for other processes: Vitest's default would leave one of two cores idle.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'units',
          include: ['{prisma,packages/*,apps/*}/**/*.test.ts'],
          // A machine with much to do takes seconds to start a process.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 45_000 } },
        },
      },
      'test',
    ],
    reporters: ['default', new SkippedReporter(), ...(report ? [['json', { outputFile: report }] as const] : [])],
  },
})
