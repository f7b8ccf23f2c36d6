import { Option } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { addList, listAll, pick, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { moment } from '../terminal/cells.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { print, printResult, withOutput, withResult } from '../terminal/output.js'
import type { OutputOptions, ResultOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

type OperatorRecord = Awaited<ReturnType<Rpc['operators']['create']['mutate']>>
type Role = OperatorRecord['role']

const view: View<OperatorRecord> = {
  columns: {
    ID: ({ id }) => id,
    NAME: ({ name }) => name,
    ROLE: ({ role }) => role,
    ENABLED: ({ enabled }) => enabled,
    KEYS: ({ keys }) => keys,
    'LAST USED': ({ last_used }) => moment(last_used),
  },
  name: ({ name }) => name,
}
const roles: readonly Role[] = ['admin', 'read_only']

export function addOperators(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const operator = program.command('operator').description('Manage operators: the users and programs that call the API')
  addList(operator, config, terminal, {
    description: 'List operators',
    view,
    page: ({ operators }, range) => operators.list.query(range),
  })
  withOutput(operator.command('add <name>'))
    .description('Add an operator. Create a key for it with "roost key create <name>".')
    .addOption(new Option('--role <role>', 'role of the operator').choices(roles).default('read_only'))
    .action((name: string, { role, ...options }: OutputOptions & { readonly role: Role }) =>
      withApi(config(), async ({ operators }) => {
        await print(terminal, [await operators.create.mutate({ name, role })], view, options)
      }),
    )
  addChanges(operator, config, terminal)
  operator
    .command('remove <operator>')
    .description('Remove an operator, by name or id, with all its keys')
    .option(...yesFlag)
    .action((nameOrId: string, flags: ConfirmFlags) =>
      withApi(config(), async (rpc) => {
        const { id, name } = await findOperator(rpc, nameOrId)
        await confirmLoss(terminal, flags, { loss: `This removes operator ${name} and revokes its keys.`, name })
        await rpc.operators.remove.mutate({ id })
        out.write(`operator ${name} removed, with its keys\n`)
      }),
    )
}

/** Adds the commands that change one operator. */
function addChanges(operator: Command, config: () => Config, terminal: Terminal): void {
  const change = (
    nameOrId: string,
    values: { readonly enabled?: boolean; readonly role?: Role },
    options: ResultOptions,
  ) =>
    withApi(config(), async (rpc) => {
      const { id } = await findOperator(rpc, nameOrId)
      const record = await rpc.operators.change.mutate({ id, change: values })
      const { name, enabled, role } = record
      const sentence = `operator ${name} ${enabled ? `enabled, ${role}` : 'disabled'}`
      await printResult(terminal, { record, view, sentence }, options)
    })
  withResult(operator.command('enable <operator>'))
    .description('Enable an operator')
    .action((nameOrId: string, options: ResultOptions) => change(nameOrId, { enabled: true }, options))
  withResult(operator.command('disable <operator>'))
    .description('Disable an operator. Its keys are kept and work again when it is enabled.')
    .action((nameOrId: string, options: ResultOptions) => change(nameOrId, { enabled: false }, options))
  withResult(operator.command('role <operator>'))
    .description('Change the role of an operator')
    .addOption(new Option('--role <role>', 'role of the operator').choices(roles).makeOptionMandatory())
    .action((nameOrId: string, { role, ...options }: ResultOptions & { readonly role: Role }) =>
      change(nameOrId, { role }, options),
    )
}

/** Returns the operator of a name or an id. */
export async function findOperator({ operators }: Rpc, nameOrId: string): Promise<OperatorRecord> {
  const all = await listAll((range) => operators.list.query(range))
  return pick('operator', nameOrId, all, ({ name }) => name)
}
