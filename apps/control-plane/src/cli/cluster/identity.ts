import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { withCluster } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { readCaFile, readKeyOf } from '../terminal/key-file.js'
import { printResult, withResult } from '../terminal/output.js'
import type { ResultOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { addShowSetting } from './show-setting.js'

interface IdentityFlags extends ResultOptions {
  readonly authUrl: string
  readonly user?: string
  readonly userDomain?: string
  readonly project?: string
  readonly projectDomain?: string
  readonly applicationCredentialId?: string
  readonly keyFile: string
  readonly caFile?: string
  readonly domain?: string
  readonly role?: string
  readonly resellerRole?: string
}

type Identity = NonNullable<Awaited<ReturnType<Rpc['clusters']['identity']['query']>>>

const columns: View<Identity>['columns'] = {
  CLUSTER: ({ cluster }) => cluster,
  AUTH_URL: ({ auth_url: url }) => url,
  LOGIN: ({ user, application_credential_id: credential }) => user ?? `application credential ${credential}`,
  DOMAIN: ({ domain }) => domain,
  ROLES: ({ role, reseller_role: reseller }) => `${role}, ${reseller}`,
}

/** Returns what `roost apply` accepts. */
export function identityDocument(name: string) {
  return ({ cluster: _cluster, resource_uri: _uri, ...identity }: Identity) => ({ kind: 'cluster', name, identity })
}

function viewOf(name: string): View<Identity> {
  return { columns, name: ({ cluster }) => cluster, document: identityDocument(name) }
}

/** Adds the commands of identity services. */
export function addClusterIdentity(cluster: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  addShowSetting(cluster, config, terminal, {
    command: 'identity',
    noun: 'identity service',
    description: 'Show the Keystone that has the users of a cluster, without the key of its login',
    read: (clusters, id) => clusters.identity.query({ id }),
    viewOf,
  })
  addSetIdentity(cluster, config, terminal)
  cluster
    .command('unset-identity <cluster>')
    .description('Remove the identity service of a cluster. Keystone stays as it is.')
    .action((nameOrId: string) =>
      withCluster(config(), nameOrId, async (clusters, { id }) => {
        await clusters.unsetIdentity.mutate({ id })
        out.write(`identity service of cluster ${nameOrId} removed; its users are deployed to its proxies again\n`)
      }),
    )
}

function addSetIdentity(cluster: Command, config: () => Config, terminal: Terminal): void {
  withResult(cluster.command('set-identity <cluster>'))
    .description('Set the Keystone that has the users of a cluster, and the login with which Roost manages them')
    .requiredOption('--auth-url <url>', 'URL of version 3, such as https://keystone:5000/v3')
    .option('--application-credential-id <id>', 'id of the application credential to log in with')
    .option('--user <user>', 'user to log in with')
    .option('--user-domain <name>', 'domain of the user; default: Default')
    .option('--project <name>', 'project of the login; without one it is scoped to the system')
    .option('--project-domain <name>', 'domain of the project; default: that of the user')
    .option('--key-file <path>', 'file whose first line is the password or secret, or - for standard input', '-')
    .option('--ca-file <path>', 'certificates (PEM) of the authorities to trust')
    .option('--domain <name>', 'domain that Roost creates for the users; default: roost')
    .option('--role <name>', 'role of a user on its project; default: member')
    .option('--reseller-role <name>', 'role that a superuser gets besides; default: ResellerAdmin')
    .action((nameOrId: string, flags: IdentityFlags) =>
      withCluster(config(), nameOrId, async (clusters, { id, name }) => {
        const login = flags.user ?? flags.applicationCredentialId ?? 'the login'
        const key = await readKeyOf(login, flags.keyFile, terminal.err)
        const ca = await readCaFile(flags.caFile)
        const record = await clusters.setIdentity.mutate({ id, key, ca, ...fieldsOf(flags) })
        const sentence = `identity service of cluster ${nameOrId} set to ${flags.authUrl}; its users get domain ${record.domain} with their next deployment`
        await printResult(terminal, { record, view: viewOf(name), sentence }, flags)
      }),
    )
}

function fieldsOf(flags: IdentityFlags) {
  return {
    auth_url: flags.authUrl,
    application_credential_id: flags.applicationCredentialId,
    user: flags.user,
    user_domain: flags.userDomain,
    project: flags.project,
    project_domain: flags.projectDomain,
    domain: flags.domain,
    role: flags.role,
    reseller_role: flags.resellerRole,
  }
}
