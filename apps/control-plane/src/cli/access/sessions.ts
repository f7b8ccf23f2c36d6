import type { Session } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findById, withApi } from '../client/api.js'
import { moment } from '../terminal/cells.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import type { View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { addListOfOperator } from './list-of-operator.js'

const view: View<Session> = {
  columns: {
    ID: ({ id }) => id,
    OPERATOR: ({ operator_name: operator }) => operator,
    CLIENT: ({ client }) => client || null,
    ADDRESS: ({ address }) => address,
    KEY: ({ key }) => key,
    OPENED: ({ created }) => moment(created),
    EXPIRES: ({ expires }) => moment(expires),
    'LAST USED': ({ last_used: lastUsed }) => moment(lastUsed),
  },
  name: ({ id }) => id,
}

export function addSessions(program: Command, config: () => Config, terminal: Terminal): void {
  const session = program.command('session').description('Manage the sessions of the web console')
  addListOfOperator(session, config, terminal, {
    description: 'List the browsers that are logged in, all or those of one operator',
    view,
    page: (rpc, query) => rpc.sessions.list.query(query),
  })
  session
    .command('end <id>')
    .description('End a session at once. Its open streams end within seconds.')
    .option(...yesFlag)
    .action((text: string, flags: ConfirmFlags) =>
      withApi(config(), async ({ sessions }) => {
        const { id, operator_name: operator } = await findById('session', sessions, text)
        await confirmLoss(terminal, flags, { loss: `This browser of ${operator} is logged out.`, name: text })
        await sessions.remove.mutate({ id })
        terminal.out.write(`session ${id} of ${operator} ended\n`)
      }),
    )
}
