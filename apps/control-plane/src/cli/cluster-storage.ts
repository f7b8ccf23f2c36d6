import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './api.js'
import type { Rpc } from './api.js'
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

/** The key comes by a file or by standard input: a command line is for every account of the machine to read. */
export function addClusterStorage(cluster: Command, config: () => Config, { out, err }: Terminal): void {
  cluster
    .command('storage <cluster>')
    .description('Show with what gateways mount its containers; never the key.')
    .addOption(outputOption())
    .action((word: string, options: OutputOptions) =>
      withApi(config(), async ({ clusters }) => {
        const login = await clusters.storage.query({ id: await idOf(clusters, word) })
        if (login === null)
          throw new CommandError(`Nothing is set: "roost cluster set-storage ${word}" does that.`, exitCodes.notFound)
        out.write(render([login], columns, options))
      }),
    )
  cluster
    .command('set-storage <cluster>')
    .description('Set with what gateways mount its containers: the login of the account that holds them.')
    .requiredOption(
      '--auth-url <url>',
      'where to log in (authentication version 1), such as https://swift:8080/auth/v1.0',
    )
    .requiredOption('--user <user>', 'such as account:user')
    .option('--key-file <path>', 'a file whose first line is the key, or - for standard input', '-')
    .action((word: string, { authUrl, user, keyFile }: StorageFlags) =>
      withApi(config(), async ({ clusters }) => {
        const id = await idOf(clusters, word)
        const key =
          keyFile === '-' ? await readSecret(`The key of ${user}: `, process.stdin, err) : await readKey(keyFile)
        if (key === '') throw new CommandError('No key was given.', exitCodes.usage)
        await clusters.setStorage.mutate({ id, auth_url: authUrl, user, key })
        out.write(`cluster ${word} is mounted as ${user}; each gateway takes it with its next deployment\n`)
      }),
    )
  cluster
    .command('unset-storage <cluster>')
    .description('Forget with what gateways mount its containers, once no share needs it.')
    .option('--force', 'even while shares of the cluster are enabled')
    .action((word: string, { force = false }: { readonly force?: boolean }) =>
      withApi(config(), async ({ clusters }) => {
        await clusters.unsetStorage.mutate({ id: await idOf(clusters, word), force })
        out.write(`the storage login of cluster ${word} is forgotten; each gateway drops it with its next deployment\n`)
      }),
    )
}

async function idOf(clusters: Rpc['clusters'], word: string): Promise<number> {
  return pick('cluster', word, await listAll((range) => clusters.list.query(range)), ({ name }) => name).id
}

async function readKey(path: string): Promise<string> {
  const content = await readFile(path, 'utf8').catch(refuse)
  return content.split('\n', 1)[0]?.trim() ?? ''
}

function refuse({ code, path }: NodeJS.ErrnoException): never {
  throw new CommandError(`The key file ${path} cannot be read (${code}).`, exitCodes.usage)
}
