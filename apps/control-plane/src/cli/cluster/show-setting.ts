import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { withCluster } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

/** A setting of a cluster beside its name, which may not be set. */
interface Setting<R> {
  /** The name of its command. */
  readonly command: 'identity' | 'storage'
  /** Such as `storage login`. */
  readonly noun: string
  readonly description: string
  readonly read: (clusters: Rpc['clusters'], id: number) => Promise<R | null>
  /** Returns how it is printed for the cluster of a name. */
  readonly viewOf: (name: string) => View<R>
}

/** Adds the command that shows a setting. */
export function addShowSetting<R>(
  cluster: Command,
  config: () => Config,
  terminal: Terminal,
  { command, noun, description, read, viewOf }: Setting<R>,
): void {
  withOutput(cluster.command(`${command} <cluster>`))
    .description(description)
    .action((nameOrId: string, options: OutputOptions) =>
      withCluster(config(), nameOrId, async (clusters, { id, name }) => {
        const setting = await read(clusters, id)
        if (setting === null)
          throw new CommandError(
            `Cluster ${nameOrId} has no ${noun}. Set one with "roost cluster set-${command} ${nameOrId}".`,
            exitCodes.notFound,
          )
        await print(terminal, [setting], viewOf(name), options)
      }),
    )
}
