import { byNames } from '@roost/api-types'
import { shareSettings } from '@roost/api-types/rest'
import type { GatewayShare, GatewayShareInput } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { pick, recordsById, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { bytes } from '../terminal/cells.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { isStructured, print, printOne, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import {
  byCluster,
  byNode,
  bySet,
  byText,
  flagField,
  hostnamesByUri,
  nodeField,
  numberField,
  passwordField,
  setField,
  textField,
} from './fields.js'
import { addNoun } from './noun.js'
import type { FieldOption, Noun } from './noun.js'

/** Each setting of the table of shares is an option. */
const settings: readonly FieldOption[] = Object.entries(shareSettings).map(([field, row]) => {
  const description = row.text.replaceAll('`', '')
  if (typeof row.default === 'boolean') return flagField(field, description)
  return row.default === null || typeof row.default === 'number'
    ? numberField(field, description)
    : textField(field, description)
})

const container = { ...textField('objectstore_container', 'container that it offers'), flags: '--container <name>' }
const common = [
  flagField('enabled', 'whether its gateway serves it (default: false)'),
  passwordField('the share'),
  setField,
  ...settings,
]

async function findShare(rpc: Rpc, text: string): Promise<GatewayShare> {
  const [, node, name = text] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  const filters = { name, ...(node !== undefined && { node__hostname: node }) }
  const { objects } = await rpc.gatewayShares.list.query({ filters, limit: 1000 })
  const byId = await recordsById(rpc.gatewayShares, text)
  return pick('share', name, [...objects, ...byId], (share) => share.name)
}

const shares: Noun<GatewayShare> = {
  name: 'share',
  plural: 'shares',
  description: 'Manage the NFS and CIFS shares of gateways. Changes take effect with "roost deploy shares".',
  named: 'by name, NODE/NAME or id',
  filters: [byCluster, byNode, byText('protocol', 'nfs or cifs'), byText('name', 'only shares of this name'), bySet],
  async view(rpc) {
    const hostnames = await hostnamesByUri(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        NODE: ({ node }) => hostnames.get(node),
        PROTOCOL: ({ protocol }) => protocol,
        ENABLED: ({ enabled }) => enabled,
        CONTAINER: ({ objectstore_container: name }) => name,
        ACCESS: ({ access_mode: mode }) => mode,
        CLIENTS: ({ clients_allowed_list: clients }) => clients || 'all',
      },
      wide: { SET: ({ set }) => set },
      name: ({ name }) => name,
      document: ({ id: _id, resource_uri: _uri, node, ...fields }) => ({
        kind: 'share',
        node: hostnames.get(node),
        ...fields,
      }),
    }
  },
  list: (rpc, query) => rpc.gatewayShares.list.query(byNames(query)),
  find: findShare,
  add: {
    fields: [
      nodeField,
      { ...container, isRequired: true },
      textField('protocol', 'nfs or cifs (default: nfs)'),
      ...common,
    ],
    run: (rpc, name, values) => rpc.gatewayShares.create.mutate({ name, ...values } as GatewayShareInput),
  },
  change: {
    fields: [
      textField('name', 'new name'),
      { ...nodeField, isRequired: false },
      container,
      textField('protocol', 'nfs or cifs'),
      ...common,
    ],
    run: (rpc, { id }, change) => rpc.gatewayShares.change.mutate({ id, change }),
  },
  remove: {
    loss: ({ name }) =>
      `This removes share ${name}; its clients lose it with the next deployment. The container stays.`,
    run: (rpc, { id }) => rpc.gatewayShares.remove.mutate({ id }),
  },
}

type Uploads = Awaited<ReturnType<Rpc['gatewayShares']['uploads']['query']>>

const uploadsView: View<Uploads> = {
  columns: {
    'WAITING FILES': ({ dirty_files: files }) => files,
    'WAITING BYTES': ({ dirty_bytes: count }) => bytes(count),
    'OLDEST SECONDS': ({ oldest_dirty_seconds: seconds }) => seconds,
    QUEUED: ({ uploads_queued: queued }) => queued,
    ERRORS: ({ upload_errors: errors }) => errors,
    CACHE: ({ cache_bytes: count }) => bytes(count),
    LEFTOVERS: ({ leftover_files: files }) => files,
  },
  name: ({ share }) => share,
}

type Sessions = Awaited<ReturnType<Rpc['gatewayShares']['sessions']['query']>>

const sessionsView: View<Sessions['sessions'][number]> = {
  columns: { CLIENT: ({ client }) => client, USER: ({ user }) => user },
  name: ({ client }) => client,
}

export function addShares(program: Command, config: () => Config, terminal: Terminal): void {
  const share = addNoun(program, config, terminal, shares)
  withOutput(share.command('uploads <share>'))
    .description('Show what clients have written and is not in Swift yet')
    .action((nameOrId: string, options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const { id } = await findShare(rpc, nameOrId)
        await printOne(terminal, await rpc.gatewayShares.uploads.query({ id }), uploadsView, options)
      }),
    )
  withOutput(share.command('sessions <share>'))
    .description('List the clients that have a share mounted now, as its gateway knows them')
    .action((nameOrId: string, options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const { id } = await findShare(rpc, nameOrId)
        const found = await rpc.gatewayShares.sessions.query({ id })
        if (isStructured(options)) await printValue(terminal, found, options)
        else await print(terminal, found.sessions, sessionsView, options)
      }),
    )
  withOutput(share.command('remove-leftovers <share>'))
    .description('Remove objects under names that files had before they were renamed during their upload')
    .option(...yesFlag)
    .action((nameOrId: string, options: OutputOptions & ConfirmFlags) =>
      withApi(config(), async (rpc) => {
        const { id, name } = await findShare(rpc, nameOrId)
        await confirmLoss(terminal, options, { loss: `This removes objects from the container of ${name}.`, name })
        await printValue(
          terminal,
          await rpc.gatewayShares.removeLeftovers.mutate({ id, remove_leftovers: true }),
          options,
        )
      }),
    )
}
