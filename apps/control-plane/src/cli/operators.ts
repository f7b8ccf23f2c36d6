import { Option } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './api.js'
import type { Rpc } from './api.js'
import { outputOption, render } from './terminal/output.js'
import type { Columns, OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

type OperatorRecord = Awaited<ReturnType<Rpc['operators']['create']['mutate']>>
type Role = OperatorRecord['role']

const columns: Columns<OperatorRecord> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  ROLE: ({ role }) => role,
  ENABLED: ({ enabled }) => enabled,
  KEYS: ({ keys }) => keys,
  'LAST USED': ({ last_used }) => last_used,
}
const roles: readonly Role[] = ['admin', 'read_only']

export function addOperators(program: Command, config: () => Config, { out }: Terminal): void {
  const operator = program.command('operator').description('Who may call this control plane.')
  operator
    .command('list')
    .description('List them.')
    .addOption(outputOption())
    .action((options: OutputOptions) =>
      withApi(config(), async ({ operators }) => {
        out.write(render(await listAll((range) => operators.list.query(range)), columns, options))
      }),
    )
  operator
    .command('add <name>')
    .description('Make one. It can do nothing until it has a key: roost key create <name>.')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).default('read_only'))
    .addOption(outputOption())
    .action((name: string, { role, ...options }: OutputOptions & { readonly role: Role }) =>
      withApi(config(), async ({ operators }) => {
        out.write(render([await operators.create.mutate({ name, role })], columns, options))
      }),
    )
  addChanges(operator, config, out)
  operator
    .command('remove <operator>')
    .description('Remove one with all its keys, by name or id.')
    .action((word: string) =>
      withApi(config(), async (rpc) => {
        const { id, name } = await findOperator(rpc, word)
        await rpc.operators.remove.mutate({ id })
        out.write(`operator ${name} is removed, and its keys with it\n`)
      }),
    )
}

/** Commands that change one operator. */
function addChanges(operator: Command, config: () => Config, out: Terminal['out']): void {
  const change = (word: string, values: { readonly enabled?: boolean; readonly role?: Role }) =>
    withApi(config(), async (rpc) => {
      const { id } = await findOperator(rpc, word)
      const { name, enabled, role } = await rpc.operators.change.mutate({ id, change: values })
      out.write(`operator ${name} is ${enabled ? `enabled, ${role}` : 'disabled'}\n`)
    })
  operator
    .command('enable <operator>')
    .description('Let one in again.')
    .action((word: string) => change(word, { enabled: true }))
  operator
    .command('disable <operator>')
    .description('Let one in no more; its keys stay, and work again once it is enabled.')
    .action((word: string) => change(word, { enabled: false }))
  operator
    .command('role <operator>')
    .description('Change what one may do.')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory())
    .action((word: string, { role }: { readonly role: Role }) => change(word, { role }))
}

/** The operator that a word on the command line means. */
export async function findOperator({ operators }: Rpc, word: string): Promise<OperatorRecord> {
  const all = await listAll((range) => operators.list.query(range))
  return pick('operator', word, all, ({ name }) => name)
}
