import { resourceUri } from '@roost/api-types/rest'
import { findCluster, listAll, nodeOf } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { readKeyOf } from '../terminal/key-file.js'
import type { FieldOption, FilterOption } from './noun.js'

export const byCluster: FilterOption = {
  flags: '--cluster <cluster>',
  description: 'only those of this cluster, by name or id',
  filter: async (rpc, value) => ({ cluster: (await findCluster(rpc, value)).id }),
}

export const byNode: FilterOption = {
  flags: '--node <node>',
  description: 'only those of this node, by hostname or id',
  filter: async ({ nodes }, value) => ({ node: (await nodeOf(nodes, value)).id }),
}

/** Returns a filter by the text of a field. */
export function byText(name: string, description: string, field: string = name): FilterOption {
  return { flags: `--${name} <${name}>`, description, filter: async (_rpc, value) => ({ [field]: value }) }
}

export const bySet = byText('set', 'only those that this set of "roost apply" made')

export function textField(field: string, description: string): FieldOption {
  return { flags: `${flagOf(field)} <text>`, description, field, value: async (_rpc, text) => text }
}

export function flagField(field: string, description: string): FieldOption {
  return {
    flags: `${flagOf(field)} <true|false>`,
    description,
    field,
    value: async (_rpc, text) => flagValue(field, text),
  }
}

function flagValue(field: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new CommandError(`${flagOf(field)} must be true or false.`, exitCodes.usage)
}

export function numberField(field: string, description: string): FieldOption {
  return {
    flags: `${flagOf(field)} <number>`,
    description,
    field,
    async value(_rpc, text) {
      if (text === 'null') return null
      if (/^\d{1,10}$/.test(text)) return Number(text)
      throw new CommandError(`${flagOf(field)} must be a number.`, exitCodes.usage)
    },
  }
}

export const setField: FieldOption = {
  ...textField('set', 'set of "roost apply" that it belongs to; null: none'),
  value: async (_rpc, text) => (text === 'null' ? null : text),
}

/** A secret: every account of the machine can read command lines. */
export function passwordField(login: string): FieldOption {
  return {
    flags: '--password-file <path>',
    description: 'file whose first line is the password, or - for standard input',
    field: 'password',
    value: (_rpc, path) => readKeyOf(login, path, process.stderr),
  }
}

export const nodeField: FieldOption = {
  flags: '--node <node>',
  description: 'gateway that serves it, by hostname or id',
  field: 'node',
  isRequired: true,
  value: async ({ nodes }, nameOrId) => resourceUri('nodes', (await nodeOf(nodes, nameOrId)).id),
}

export const clusterField: FieldOption = {
  flags: '--cluster <cluster>',
  description: 'cluster, by name or id',
  field: 'cluster',
  isRequired: true,
  value: async (rpc, nameOrId) => resourceUri('clusters', (await findCluster(rpc, nameOrId)).id),
}

function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`
}

/** Returns the hostnames of all nodes by their URIs. */
export async function hostnamesByUri({ nodes }: Pick<Rpc, 'nodes'>): Promise<ReadonlyMap<string, string>> {
  const all = await listAll((range) => nodes.list.query(range))
  return new Map(all.map(({ id, hostname }) => [resourceUri('nodes', id), hostname]))
}

/** Returns a filter by a field that is true or false. */
export function byFlag(field: string, description: string): FilterOption {
  const flags = `${flagOf(field)} <true|false>`
  return { flags, description, filter: async (_rpc, text) => ({ [field]: flagValue(field, text) }) }
}

/** Returns the names of all clusters by their URIs. */
export async function clusterNamesByUri({ clusters }: Pick<Rpc, 'clusters'>): Promise<ReadonlyMap<string, string>> {
  const all = await listAll((range) => clusters.list.query(range))
  return new Map(all.map(({ id, name }) => [resourceUri('clusters', id), name]))
}
