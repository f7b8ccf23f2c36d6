import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { NodeHardwareService } from '@roost/api-types/rpc'
import { found } from '../services/errors.js'
import type { HardwareReportStore, StoredHardware } from './hardware-report-store.js'

const retryAfterSeconds = 60

export function createNodeHardwareService(store: HardwareReportStore): NodeHardwareService {
  return {
    async get(nodeId) {
      const stored = found(await store.find(nodeId))
      if (stored.report === null) throw new RoostError('unavailable', reasonOf(stored), { retryAfterSeconds })
      const { read_at, ...parts } = stored.report
      return { node: resourceUri('nodes', nodeId), read_at: new Date(read_at * 1_000).toISOString(), ...parts }
    },
  }
}

function reasonOf({ hostname, agentVersion }: StoredHardware): string {
  if (agentVersion?.startsWith('0.1.'))
    return `The agent of ${hostname} (${agentVersion}) does not report hardware. Upgrade the agent of ${hostname}.`
  return `The agent of ${hostname} has not reported its hardware yet. It will do so within a minute after it connects.`
}
