import type { NodeState } from '@roost/api-types/rpc'
import type { Database } from '../../database/database.js'
import type { NodeStateStore } from './service.js'

export function createNodeStateStore({ prisma }: Pick<Database, 'prisma'>): NodeStateStore {
  return {
    states: () => prisma.$queryRaw<NodeState[]>`
      select id, hostname, state, config_state, enabled from nodes order by id`,
  }
}
