import { byNames } from '@roost/api-types'
import type { AgentUpgradeJob } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findById, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { byCluster, byText, clusterNamesByUri, hostnamesByUri } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { Noun } from '../records/noun.js'
import { moment, state } from '../terminal/cells.js'
import { printResult, withResult } from '../terminal/output.js'
import type { ResultOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

const upgrades: Noun<AgentUpgradeJob> = {
  name: 'upgrade',
  plural: 'upgrades of agents',
  description: 'Show and cancel the upgrades that "roost node upgrade" begins',
  named: 'by id',
  filters: [byCluster, byText('state', 'only upgrades in this state, such as COMPLETED_FAILED')],
  async view(rpc) {
    const [clusters, nodes] = [await clusterNamesByUri(rpc), await hostnamesByUri(rpc)]
    return {
      columns: {
        ID: ({ id }) => id,
        TO: ({ cluster, node }) => nodes.get(node ?? '') ?? clusters.get(cluster),
        VERSION: ({ version }) => version,
        STATE: (upgrade) => state(upgrade.state),
        PROGRESS: ({ progress }) => `${progress} %`,
        CREATED: ({ created }) => moment(created),
        MESSAGE: ({ message }) => message,
      },
      name: ({ id }) => id,
    }
  },
  list: (rpc, query) => rpc.agentUpgrades.list.query(byNames(query)),
  find: findUpgrade,
}

function findUpgrade(rpc: Rpc, text: string): Promise<AgentUpgradeJob> {
  return findById('upgrade', rpc.agentUpgrades, text)
}

/** Adds the commands for the upgrades of agents. */
export function addUpgrades(program: Command, config: () => Config, terminal: Terminal): void {
  const upgrade = addNoun(program, config, terminal, upgrades)
  withResult(upgrade.command('cancel <upgrade>'))
    .description('Cancel the nodes of an upgrade that have not begun')
    .action((text: string, options: ResultOptions) =>
      withApi(config(), async (rpc) => {
        const { id } = await findUpgrade(rpc, text)
        const record = await rpc.agentUpgrades.cancel.mutate({ id })
        const sentence = `upgrade ${id} canceled`
        await printResult(terminal, { record, view: await upgrades.view(rpc), sentence }, options)
      }),
    )
}
