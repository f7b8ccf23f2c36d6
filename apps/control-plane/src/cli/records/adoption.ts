import type { AdoptableUser, WrittenUser } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, listAll, withApi } from '../client/api.js'
import { readKeyOf } from '../terminal/key-file.js'
import { print, printOne, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

const view: View<AdoptableUser> = {
  columns: {
    LOGIN: ({ login }) => login,
    ACCOUNT: ({ account }) => account,
    NAME: ({ user }) => user,
    SUPERUSER: ({ is_superuser: isSuperuser }) => isSuperuser,
    PROBLEM: ({ problem }) => problem,
  },
  wide: { DOMAIN: ({ domain }) => domain, SOURCE: ({ source }) => source },
  name: ({ login }) => login,
}

const adopted: View<WrittenUser> = {
  columns: {
    ID: ({ id }) => id,
    NAME: ({ user }) => user,
    LOGIN: ({ login }) => login,
    ACCOUNT: ({ account }) => account,
    SUPERUSER: ({ is_superuser: isSuperuser }) => isSuperuser,
  },
  name: ({ user }) => user,
}

interface AdoptFlags extends OutputOptions {
  readonly cluster: string
  readonly name?: string
  readonly account?: string
  readonly domain?: string
  readonly passwordFile?: string
  readonly set?: string
}

/** Adds the commands for users that others made. */
export function addAdoption(user: Command, config: () => Config, terminal: Terminal): void {
  withOutput(user.command('adoptable'))
    .description("List users of a cluster's tempauth or Keystone that Roost did not create")
    .requiredOption('--cluster <cluster>', 'cluster, by name or id')
    .action((flags: OutputOptions & { readonly cluster: string }) =>
      withApi(config(), async (rpc) => {
        const { id } = await findCluster(rpc, flags.cluster)
        const all = await listAll((range) => rpc.users.adoptable.query({ id, ...range }))
        await print(terminal, all, view, flags)
      }),
    )
  withOutput(user.command('adopt <login>'))
    .description('Manage a user that others made, such as test:tester. It keeps its login, account and password.')
    .requiredOption('--cluster <cluster>', 'cluster, by name or id')
    .option('--name <name>', 'its name in Roost; default: as "roost user adoptable" shows it')
    .option('--account <account>', 'its account, where several users have the login')
    .option('--domain <domain>', 'its domain in Keystone, where several users have the login')
    .option('--password-file <path>', 'file whose first line is a new password, or - for standard input')
    .option('--set <set>', 'set of "roost apply" that it belongs to')
    .action((login: string, flags: AdoptFlags) =>
      withApi(config(), async (rpc) => {
        const { id } = await findCluster(rpc, flags.cluster)
        const { name, account, domain, passwordFile: path, set } = flags
        const password = path === undefined ? undefined : await readKeyOf('the user', path, terminal.err)
        const input = { id, login, user: name, account, domain, password, set }
        const { password: _password, ...user } = await rpc.users.adopt.mutate(input)
        await printOne(terminal, user, adopted, flags)
      }),
    )
}
