import { RoostError } from '@roost/api-types/rest'
import type { KeystoneClient } from './keystone/client.js'
import { KeystoneError } from './keystone/errors.js'
import { KeystoneRole } from './keystone/objects.js'

/** Returns the id of a role of Keystone that belongs to no domain; undefined without one. */
export async function findRole(client: Pick<KeystoneClient, 'list'>, name: string): Promise<string | undefined> {
  const roles = await client.list(`/roles?name=${encodeURIComponent(name)}`, 'roles', KeystoneRole)
  return roles.find((role) => role.name === name && (role.domain_id ?? null) === null)?.id
}

export function missingRole(name: string): string {
  return `Keystone has no role '${name}'. Create it with "openstack role create ${name}", or choose another one.`
}

/** Returns the error of a setting that Keystone refuses, on the field that an operator has to change. */
export function refusalOf(error: unknown): RoostError {
  if (!(error instanceof KeystoneError)) throw error
  const field = fieldOf(error)
  const remedy = field === 'key' && error.status === 403 ? ' Give this login the role admin.' : ''
  const sentence = `${error.message}${remedy}`
  return new RoostError('invalid', sentence, { fields: { [field]: [sentence] } })
}

function fieldOf({ status, message }: KeystoneError): 'key' | 'ca' | 'auth_url' {
  if (status === 401 || status === 403) return 'key'
  return message.includes('(--ca-file)') ? 'ca' : 'auth_url'
}
