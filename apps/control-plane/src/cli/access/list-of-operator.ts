import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { listAll, withApi } from '../client/api.js'
import type { ListPage, ListRange, Rpc } from '../client/api.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'
import { findOperator } from './operators.js'

type Query = ListRange & { readonly filters: { readonly operator?: number } }

interface ListOfOperator<R> {
  readonly description: string
  readonly view: View<R>
  readonly page: (rpc: Rpc, query: Query) => Promise<ListPage<R>>
}

/** Adds a command that lists records of all operators, or of one. */
export function addListOfOperator<R>(
  parent: Command,
  config: () => Config,
  terminal: Terminal,
  { description, view, page }: ListOfOperator<R>,
): void {
  withWatch(withOutput(parent.command('list [operator]')))
    .description(description)
    .action((nameOrId: string | undefined, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const filters = nameOrId === undefined ? {} : { operator: (await findOperator(rpc, nameOrId)).id }
          await print(terminal, await listAll((range) => page(rpc, { ...range, filters })), view, options)
        }),
      ),
    )
}
