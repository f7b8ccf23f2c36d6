import type { Command } from 'commander'
import type { User } from '@roost/api-types/rest'
import type { Config } from '../../config.js'
import { withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { print, printOne, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

interface AccessKey {
  readonly access_key: string
  readonly secret_key?: string
}

const view: View<AccessKey> = {
  columns: { 'ACCESS KEY': ({ access_key: key }) => key },
  name: ({ access_key: key }) => key,
}
const created: View<AccessKey> = {
  ...view,
  columns: { ...view.columns, 'SECRET KEY': ({ secret_key: secret }) => secret },
}

/** Adds the commands for the keys with which a user of Keystone uses S3. `find` takes a name or an id. */
export function addS3Credentials(
  user: Command,
  config: () => Config,
  terminal: Terminal,
  find: (rpc: Rpc, text: string) => Promise<User>,
): void {
  const keys = user.command('s3').description('Manage the S3 credentials of a user of Keystone')
  withOutput(keys.command('list <user>'))
    .description('List the access keys of a user')
    .action((text: string, options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const { id } = await find(rpc, text)
        const { access_keys: found } = await rpc.users.s3Credentials.query({ id: Number(id) })
        await print(
          terminal,
          found.map((key) => ({ access_key: key })),
          view,
          options,
        )
      }),
    )
  withOutput(keys.command('add <user>'))
    .description('Create an access key with its secret key, which is shown once')
    .action((text: string, options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const { id } = await find(rpc, text)
        await printOne(terminal, await rpc.users.createS3Credential.mutate({ id: Number(id) }), created, options)
      }),
    )
  keys
    .command('remove <user> <access-key>')
    .description('Remove an access key at once')
    .option(...yesFlag)
    .action((text: string, key: string, flags: ConfirmFlags) =>
      withApi(config(), async (rpc) => {
        const { id } = await find(rpc, text)
        await confirmLoss(terminal, flags, { loss: 'Clients that use this access key are refused at once.', name: key })
        await rpc.users.removeS3Credential.mutate({ id: Number(id), access_key: key })
        terminal.out.write(`access key ${key} removed\n`)
      }),
    )
}
