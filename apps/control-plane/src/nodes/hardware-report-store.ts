import type { HardwareReport } from '@roost/api-types/agent'
import type { Database } from '../database/database.js'

export interface StoredHardware {
  readonly hostname: string
  readonly agentVersion: string | null
  /** Null until the node's agent has reported it. */
  readonly report: HardwareReport | null
}

export interface HardwareReportStore {
  find(nodeId: number): Promise<StoredHardware | undefined>
}

export function createHardwareReportStore({ prisma }: Pick<Database, 'prisma'>): HardwareReportStore {
  return {
    async find(id) {
      const select = { hostname: true, agentVersion: true, hardwareReport: true } as const
      const node = await prisma.node.findUnique({ where: { id }, select })
      if (node === null) return undefined
      const { hostname, agentVersion, hardwareReport } = node
      return { hostname, agentVersion, report: hardwareReport as HardwareReport | null }
    },
  }
}
