import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { ErrorsReporter } from './test/errors-reporter.js'
import { LongestFirst } from './test/longest-first.js'
import { SkippedReporter } from './test/skipped-reporter.js'

/** The file for a report in JSON, which `.ci/run` counts; beside it, `.errors`, errors outside of tests. */
const report = process.env['ROOST_TEST_REPORT']

/** Suites with real servers wait a part of the time: more of them than processors run at once. */
const serverWorkers = Number(process.env['ROOST_TEST_SERVER_WORKERS'] ?? Math.ceil(availableParallelism() * 1.5))
const serverSuites = ['{gateways,keystone,swift,system}/**/*.test.ts', 'faults/{full-disk,killed}-*.test.ts']

// What is built is imported as it is: Vite would transform each of its files again for every suite.
const server = { deps: { external: [/\/dist\//] } }
// A process runs many suites, and imports the product once.
const isolate = false

// What a test waits for comes at once on a machine at rest: these are for one that is many times slower.
const suites = {
  root: 'test',
  server,
  isolate,
  globalSetup: [join(import.meta.dirname, 'test/support/database/database.ts')],
  testTimeout: 180_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    // Vitest's default would leave one of two cores idle. More at once than this make each process slower than they gain.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'units',
          server,
          isolate,
          include: ['{prisma,packages/*,apps/*}/**/*.test.ts'],
          sequence: { groupOrder: 1 },
          // A machine with much to do takes seconds to start a process.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 45_000 } },
        },
      },
      {
        test: {
          ...suites,
          name: 'test',
          include: ['**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...serverSuites],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...suites,
          name: 'servers',
          include: serverSuites,
          maxWorkers: serverWorkers,
          // What these wait for starts processes to look, and takes seconds.
          expect: { poll: { ...suites.expect.poll, interval: 500 } },
          sequence: { groupOrder: 0 },
        },
      },
    ],
    reporters: [
      'default',
      new SkippedReporter(),
      ...(report ? [['json', { outputFile: report }] as const, new ErrorsReporter(`${report}.errors`)] : []),
    ],
  },
})
