import { systemClock } from '@roost/runtime'
import { createNodeProblems } from '../../machine/problems.js'
import { runCommand } from '../../machine/run-command.js'
import type { CollectorSources } from '../index.js'
import { fixtureTime } from './test-host.js'

/** The sources of THE LIST on a test machine, where Swift has caches but does not answer, and shares do not exist. */
export const testSources: CollectorSources = {
  recon: { directory: '/var/cache/swift', now: () => fixtureTime },
  askRecon: async () => undefined,
  dataDir: { availableBytes: () => Number.NaN },
  shareCounts: { list: () => [] },
  smart: { run: runCommand, problems: createNodeProblems() },
  statsd: {
    isWanted: () => false,
    address: '127.0.0.1',
    port: 0,
    maxNames: 10,
    clock: systemClock,
    problems: createNodeProblems(),
  },
}
