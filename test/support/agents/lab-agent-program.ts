import { join } from 'node:path'
import { createLog, systemClock } from '@roost/runtime'
import { folderApplier } from '../gateway/folder-applier.js'
import { startTestAgent } from './test-agent.js'

/**
 * The agent of a node of `addLabNode` in a process that a test may kill: `node lab-agent-program.js STATE_DIRECTORY`. It
 * writes its whole log.
 */
const [, , dataDir = ''] = process.argv
await startTestAgent({
  dataDir,
  clock: systemClock,
  random: () => 0,
  log: createLog({ format: 'json', level: 'debug', write: (line) => process.stdout.write(line) }),
  appliers: {
    gateway: folderApplier('gateway', join(dataDir, 'gateway')),
    user_db: folderApplier('user_db', join(dataDir, 'user_db')),
  },
  requests: { end_tokens: async () => ({ ended: 0, notes: [] }) },
})
