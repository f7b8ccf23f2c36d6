import type { ClusterStorageInput } from '@roost/api-types/rest'
import { type Command, Option } from 'commander'
import type { Config } from '../../config.js'
import { withCluster } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { printResult, withResult } from '../terminal/output.js'
import type { ResultOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { addShowSetting } from './show-setting.js'
import { readCaFile, readKeyOf } from '../terminal/key-file.js'

interface StorageFlags extends ResultOptions {
  readonly authUrl: string
  readonly user?: string
  readonly keyFile: string
  readonly userDomain?: string
  readonly project?: string
  readonly projectDomain?: string
  readonly region?: string
  readonly interface?: 'public' | 'internal' | 'admin'
  readonly applicationCredentialId?: string
  readonly applicationCredentialName?: string
  readonly caFile?: string
}

type Login = NonNullable<Awaited<ReturnType<Rpc['clusters']['storage']['query']>>>

const columns: View<Login>['columns'] = {
  CLUSTER: ({ cluster }) => cluster,
  AUTH_URL: ({ auth_url: url }) => url,
  USER: ({ user, application_credential_id: id }) => user ?? `application credential ${id}`,
  PROJECT: ({ project }) => project,
  REGION: ({ region }) => region,
  INTERFACE: ({ interface: name }) => name,
}

/** Returns what `roost apply` accepts. */
export function storageDocument(name: string) {
  return ({ cluster: _cluster, ...storage }: Login) => ({ kind: 'cluster', name, storage })
}

function viewOf(name: string): View<Login> {
  return { columns, name: ({ cluster }) => cluster, document: storageDocument(name) }
}

/** Adds the commands of storage logins. Keys are read from a file or standard input: every account of the machine can read command lines. */
export function addClusterStorage(cluster: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  addShowSetting(cluster, config, terminal, {
    command: 'storage',
    noun: 'storage login',
    description: 'Show the storage login of a cluster, without its key',
    read: (clusters, id) => clusters.storage.query({ id }),
    viewOf,
  })
  addSetStorage(cluster, config, terminal)
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

function addSetStorage(cluster: Command, config: () => Config, terminal: Terminal): void {
  withResult(cluster.command('set-storage <cluster>'))
    .description(
      'Set the storage login with which gateways mount the containers of a cluster. It replaces the one before',
    )
    .requiredOption(
      '--auth-url <url>',
      'authentication URL: https://swift:8080/auth/v1.0 (tempauth), https://keystone:5000/v3 (Keystone)',
    )
    .option('--user <user>', 'user that owns the containers, such as account:user, or a user of Keystone')
    .option('--key-file <path>', 'file whose first line is the key, password or secret, or - for standard input', '-')
    .option('--user-domain <name>', 'Keystone: domain of the user, such as Default')
    .option('--project <name>', 'Keystone: project that owns the containers')
    .option('--project-domain <name>', 'Keystone: domain of the project (default: that of the user)')
    .option('--region <name>', 'Keystone: region of the object store (default: the first one)')
    .addOption(new Option('--interface <name>', 'Keystone: endpoint to use').choices(['public', 'internal', 'admin']))
    .option('--application-credential-id <id>', 'Keystone: application credential, instead of a user and password')
    .option('--application-credential-name <name>', 'Keystone: application credential of the user, by name')
    .option('--ca-file <path>', 'PEM file of the authorities to trust for authentication and storage')
    .action((nameOrId: string, flags: StorageFlags) =>
      withCluster(config(), nameOrId, async (clusters, { id, name }) => {
        const owner = flags.user ?? 'the application credential'
        const input = await readLogin(flags, () => readKeyOf(owner, flags.keyFile, terminal.err))
        const record = await clusters.setStorage.mutate({ id, ...input })
        const sentence = `storage login of cluster ${nameOrId} set to ${owner}; gateways use it from their next deployment`
        await printResult(terminal, { record, view: viewOf(name), sentence }, flags)
      }),
    )
}

async function readLogin(flags: StorageFlags, readKey: () => Promise<string>): Promise<ClusterStorageInput> {
  const ca = await readCaFile(flags.caFile)
  const key = await readKey()
  return {
    auth_url: flags.authUrl,
    user: flags.user,
    key,
    user_domain: flags.userDomain,
    project: flags.project,
    project_domain: flags.projectDomain,
    region: flags.region,
    interface: flags.interface,
    application_credential_id: flags.applicationCredentialId,
    application_credential_name: flags.applicationCredentialName,
    ca,
  }
}
