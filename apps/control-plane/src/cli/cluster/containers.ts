import { maxContainers } from '@roost/api-types/rest'
import type { Containers } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, withApi } from '../client/api.js'
import { bytes } from '../terminal/cells.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

type Container = Containers['containers'][number]

interface ContainerFlags extends OutputOptions {
  readonly prefix: string
}

const view: View<Container> = {
  columns: {
    NAME: ({ name }) => name,
    OBJECTS: ({ object_count: objects }) => objects,
    STORED: ({ bytes_used: used }) => bytes(used),
  },
  name: ({ name }) => name,
}

/** Adds the command that lists what shares could serve. */
export function addClusterContainers(cluster: Command, config: () => Config, terminal: Terminal): void {
  withOutput(cluster.command('containers <cluster>'))
    .description(`List the first ${maxContainers} containers of the storage login of a cluster`)
    .option('--prefix <text>', 'only containers whose names begin with it', '')
    .action((nameOrId: string, { prefix: q, ...options }: ContainerFlags) =>
      withApi(config(), async (rpc) => {
        const { id } = await findCluster(rpc, nameOrId)
        const { containers, is_complete: isComplete } = await rpc.containers.list.query({
          cluster: id,
          q,
          limit: maxContainers,
        })
        await print(terminal, containers, view, options)
        if (!isComplete) terminal.err.write('There are more. Narrow them with --prefix.\n')
      }),
    )
}
