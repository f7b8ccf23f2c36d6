import { byNames } from '@roost/api-types'
import type { User, UserInput } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { pick, recordsById } from '../client/api.js'
import type { Terminal } from '../terminal/terminal.js'
import {
  byCluster,
  bySet,
  byText,
  clusterField,
  clusterNamesByUri,
  flagField,
  passwordField,
  setField,
} from './fields.js'
import { addAdoption } from './adoption.js'
import { addNoun } from './noun.js'
import type { Noun } from './noun.js'
import { addS3Credentials } from './s3-credentials.js'

const changeable = [
  flagField('is_superuser', 'access to every account of the cluster'),
  flagField('enabled', 'whether it may log in'),
  setField,
]

const users: Noun<User> = {
  name: 'user',
  plural: 'users',
  description: 'Manage the users of the clusters. Changes take effect with "roost deploy users".',
  named: 'by name, CLUSTER/NAME or id',
  filters: [byCluster, byText('name', 'only the user of this name', 'user'), bySet],
  async view(rpc) {
    const clusters = await clusterNamesByUri(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        NAME: ({ user }) => user,
        CLUSTER: ({ cluster }) => clusters.get(cluster),
        SUPERUSER: ({ is_superuser: isSuperuser }) => isSuperuser,
        ENABLED: ({ enabled }) => enabled,
      },
      wide: {
        ACCOUNT: ({ account, user }) => account ?? `AUTH_${user}`,
        LOGIN: ({ login }) => login,
        SET: ({ set }) => set,
      },
      name: ({ user }) => user,
      document: ({ cluster, user, is_superuser, enabled, set }) => ({
        kind: 'user',
        cluster: clusters.get(cluster),
        user,
        is_superuser,
        enabled,
        ...(set !== undefined && { set }),
      }),
    }
  },
  list: (rpc, query) => rpc.users.list.query(byNames(query)),
  async find(rpc, text) {
    const [, cluster, name = text] = /^([^/]+)\/(.+)$/.exec(text) ?? []
    const filters = { user: name, ...(cluster !== undefined && { cluster__name: cluster }) }
    const { objects } = await rpc.users.list.query({ filters, limit: 1000 })
    const byId = await recordsById(rpc.users, text)
    const found = [...objects, ...byId].map((user) => ({ id: Number(user.id), user }))
    return pick('user', name, found, ({ user }) => user.user).user
  },
  add: {
    fields: [clusterField, { ...passwordField('the new user'), isRequired: true }, ...changeable],
    run: (rpc, user, values) => rpc.users.create.mutate({ user, ...values } as UserInput),
  },
  change: {
    fields: [passwordField('the user'), ...changeable],
    run: (rpc, { id }, change) => rpc.users.change.mutate({ id, change }),
  },
  remove: {
    loss: ({ user }) =>
      `This removes user ${user} with the next deployment, also where it was adopted: it can no longer log in. The data in its account stays.`,
    run: (rpc, { id }) => rpc.users.remove.mutate({ id }),
  },
}

export function addUsers(program: Command, config: () => Config, terminal: Terminal): void {
  const user = addNoun(program, config, terminal, users)
  addS3Credentials(user, config, terminal, users.find)
  addAdoption(user, config, terminal)
}
