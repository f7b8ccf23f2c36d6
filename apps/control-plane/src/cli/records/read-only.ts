import { byNames } from '@roost/api-types'
import type { AuditEvent, StoragePolicy } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findById, listAll, pick } from '../client/api.js'
import { bytes, moment } from '../terminal/cells.js'
import type { Terminal } from '../terminal/terminal.js'
import { byCluster, byText, clusterNamesByUri } from './fields.js'
import { addNoun } from './noun.js'
import type { Noun } from './noun.js'

const policies: Noun<StoragePolicy> = {
  name: 'policy',
  plural: 'storage policies',
  description: 'Show the storage policies of the clusters',
  named: 'by name or id',
  filters: [byCluster, byText('name', 'only the policy of this name')],
  async view(rpc) {
    const clusters = await clusterNamesByUri(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        CLUSTER: ({ cluster }) => clusters.get(cluster),
        INDEX: ({ index }) => index,
        NAME: ({ name }) => name,
        TYPE: ({ type }) => type,
        REPLICAS: ({ replicas }) => replicas,
        RAW: ({ raw_bytes: raw }) => bytes(raw),
        USABLE: ({ usable_bytes: usable }) => bytes(usable),
      },
      wide: {
        DEFAULT: ({ is_default: isDefault }) => isDefault,
        DEPRECATED: ({ is_deprecated: isDeprecated }) => isDeprecated,
      },
      name: ({ name }) => name,
    }
  },
  list: (rpc, query) => rpc.storagePolicies.list.query(byNames(query)),
  async find(rpc, text) {
    const all = await listAll((range) => rpc.storagePolicies.list.query(range))
    return pick('policy', text, all, ({ name }) => name)
  },
}

const audit: Noun<AuditEvent> = {
  name: 'audit',
  plural: 'changes, oldest first; the newest with --sort-by -id --limit 20',
  description: 'Show who changed what, when and from where',
  named: 'by id',
  filters: [
    byText('operator', 'only changes by this operator'),
    byText('action', 'only this action, such as create or remove'),
    byText('resource', 'only changes of this resource, such as users'),
    byText('q', 'only changes with this text in their operator, action, resource or record name'),
    byText('resource-id', 'only changes of the record with this id', 'resource_id'),
    byText('request-id', 'only changes of this request, such as one "roost apply"', 'request_id'),
    byText('since', 'only changes from this time on, such as 2026-11-20T08:00:00Z', 'at__gte'),
    byText('until', 'only changes before this time', 'at__lt'),
  ],
  view: async () => ({
    columns: {
      ID: ({ id }) => id,
      AT: ({ at }) => moment(at),
      OPERATOR: ({ operator }) => operator,
      ACTION: ({ action }) => action,
      RESOURCE: ({ resource }) => resource,
      RECORD: ({ resource_id: id }) => id,
      NAME: ({ name }) => name,
      CHANGES: ({ changes }) => Object.keys(changes).join(','),
    },
    wide: { ADDRESS: ({ address }) => address, REQUEST: ({ request_id: id }) => id, KEY: ({ key_id: id }) => id },
    name: ({ id }) => id,
  }),
  list: (rpc, query) => rpc.auditEvents.list.query(byNames(query)),
  find: (rpc, text) => findById('audit event', rpc.auditEvents, text),
}

export function addPolicies(program: Command, config: () => Config, terminal: Terminal): void {
  addNoun(program, config, terminal, policies)
}

export function addAudit(program: Command, config: () => Config, terminal: Terminal): void {
  addNoun(program, config, terminal, audit)
}
