import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { contextNamed, readContexts, writeContexts } from '../client/contexts.js'
import type { Context } from '../client/contexts.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

/** A context as it is shown: without its key. */
interface ShownContext {
  readonly name: string
  readonly is_current: boolean
  readonly url: string
  readonly operator: string
  readonly authority: string
}

const view: View<ShownContext> = {
  columns: {
    CURRENT: ({ is_current: isCurrent }) => (isCurrent ? '*' : null),
    NAME: ({ name }) => name,
    URL: ({ url }) => url,
    OPERATOR: ({ operator }) => operator,
  },
  wide: { AUTHORITY: ({ authority }) => authority },
  name: ({ name }) => name,
}

/** Adds the commands for the control planes that `roost login` has stored. */
export function addContexts(program: Command, _config: () => Config, terminal: Terminal): void {
  const context = program.command('context').description('Manage the control planes that this command line knows')
  withOutput(context.command('list'))
    .description('List contexts; the current one is marked')
    .action(async (options: OutputOptions) => {
      const { current, contexts } = await readContexts()
      const shown = Object.entries(contexts).map(([name, each]) => shownContext(name, each, current))
      await print(terminal, shown, view, options)
    })
  context
    .command('use <name>')
    .description('Use a context where neither --context nor ROOST_CONTEXT, ROOST_URL or ROOST_DATA_DIR is given')
    .action(async (name: string) => {
      const stored = await readContexts()
      const { url } = contextNamed(stored, name)
      await writeContexts({ ...stored, current: name })
      terminal.out.write(`context ${name} (${url}) is the current one\n`)
    })
  context
    .command('remove <name>')
    .description('Remove a context with its key. The key stays valid: revoke it with "roost key revoke".')
    .option(...yesFlag)
    .action(async (name: string, flags: ConfirmFlags) => {
      const { current, contexts } = await readContexts()
      const { url } = contextNamed({ current, contexts }, name)
      await confirmLoss(terminal, flags, { loss: `This removes the stored key for ${url}.`, name })
      const { [name]: _removed, ...rest } = contexts
      await writeContexts({ current: current === name ? null : current, contexts: rest })
      terminal.out.write(`context ${name} removed\n`)
    })
}

function shownContext(name: string, { url, ca, apiKey }: Context, current: string | null): ShownContext {
  const operator = apiKey.split(':', 1)[0] ?? ''
  return { name, is_current: name === current, url, operator, authority: ca === null ? 'of the system' : 'pinned' }
}
