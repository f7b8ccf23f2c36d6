import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { withCluster } from './client/api.js'
import type { Rpc } from './client/api.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { outputOption, render } from './terminal/output.js'
import type { Columns, OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'
import { readSecret } from './terminal/secret-input.js'

interface StorageFlags {
  readonly authUrl: string
  readonly user: string
  readonly keyFile: string
}

type Login = NonNullable<Awaited<ReturnType<Rpc['clusters']['storage']['query']>>>

const columns: Columns<Login> = {
  CLUSTER: ({ cluster }) => cluster,
  AUTH_URL: ({ auth_url: url }) => url,
  USER: ({ user }) => user,
}

/** Adds the commands of storage logins. Keys are read from a file or standard input: every account of the machine can read command lines. */
export function addClusterStorage(cluster: Command, config: () => Config, { out, err }: Terminal): void {
  cluster
    .command('storage <cluster>')
    .description('Show the storage login of a cluster, without its key')
    .addOption(outputOption())
    .action((nameOrId: string, options: OutputOptions) =>
      withCluster(config(), nameOrId, async (clusters, { id }) => {
        const login = await clusters.storage.query({ id })
        if (login === null)
          throw new CommandError(
            `Cluster ${nameOrId} has no storage login. Set one with "roost cluster set-storage ${nameOrId}".`,
            exitCodes.notFound,
          )
        out.write(render([login], columns, options))
      }),
    )
  cluster
    .command('set-storage <cluster>')
    .description('Set the storage login with which gateways mount the containers of a cluster')
    .requiredOption('--auth-url <url>', 'authentication URL (version 1), such as https://swift:8080/auth/v1.0')
    .requiredOption('--user <user>', 'user that owns the containers, such as account:user')
    .option('--key-file <path>', 'file whose first line is the key, or - for standard input', '-')
    .action((nameOrId: string, { authUrl, user, keyFile }: StorageFlags) =>
      withCluster(config(), nameOrId, async (clusters, { id }) => {
        const key = keyFile === '-' ? await readSecret(`Key of ${user}: `, process.stdin, err) : await readKey(keyFile)
        if (key === '')
          throw new CommandError(
            'The key is empty. Pass the key with --key-file or on standard input.',
            exitCodes.usage,
          )
        await clusters.setStorage.mutate({ id, auth_url: authUrl, user, key })
        out.write(`storage login of cluster ${nameOrId} set to ${user}; gateways use it from their next deployment\n`)
      }),
    )
  cluster
    .command('unset-storage <cluster>')
    .description('Remove the storage login. Refused while enabled shares use it.')
    .option('--force', 'remove the storage login even if enabled shares use it')
    .action((nameOrId: string, { force = false }: { readonly force?: boolean }) =>
      withCluster(config(), nameOrId, async (clusters, { id }) => {
        await clusters.unsetStorage.mutate({ id, force })
        out.write(`storage login of cluster ${nameOrId} removed; gateways drop it with their next deployment\n`)
      }),
    )
}

async function readKey(path: string): Promise<string> {
  const content = await readFile(path, 'utf8').catch(refuse)
  return content.split('\n', 1)[0]?.trim() ?? ''
}

function refuse({ code, path }: NodeJS.ErrnoException): never {
  throw new CommandError(`Cannot read the key file ${path} (${code}).`, exitCodes.usage)
}
