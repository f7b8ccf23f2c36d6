import { AgentUpgradeJob } from '@roost/api-types/rest'
import type { AgentUpgradeService } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

/** The paths below an upgrade. */
export function upgradeActions(upgrades: AgentUpgradeService): Pick<Resource, 'actions'> {
  return {
    actions: [
      {
        method: 'POST',
        path: 'cancel',
        summary: 'Cancel an upgrade on the nodes that have not started it',
        answer: AgentUpgradeJob,
        status: 202,
        run: (id, _body, caller) => upgrades.cancel(id, caller),
      },
    ],
  }
}
