import { GrantableRole } from '@roost/api-types/rest'
import { InvalidArgumentError } from 'commander'

/** Reads a list such as `gateway,proxy`. Names of the API, such as `runs_gateway`, are accepted, too. */
export function parseRoles(text: string): GrantableRole[] {
  return text.split(',').map((name) => {
    const role = roleOf(name.trim())
    if (role === undefined) throw new InvalidArgumentError('Use gateway, proxy, or both separated by a comma.')
    return role
  })
}

function roleOf(name: string): GrantableRole | undefined {
  return GrantableRole.safeParse(`runs_${name.replace(/^runs_/, '')}`).data
}

/** Reads the roles of a token. That of storage needs no approval: only its servers can be prepared. */
export function parseTokenRoles(text: string): { readonly roles: GrantableRole[]; readonly isStorage: boolean } {
  const names = text.split(',').map((name) => name.trim())
  const granted = names.filter((name) => name !== 'storage')
  const isStorage = granted.length < names.length
  const roles = granted.map((name) => {
    const role = roleOf(name)
    if (role === undefined) throw new InvalidArgumentError('Use gateway, proxy, storage, or several with commas.')
    return role
  })
  return { roles, isStorage }
}

/** Returns roles as commands show them. */
export function roleNames(roles: readonly string[]): string {
  return roles.map((role) => role.slice('runs_'.length)).join(', ')
}
