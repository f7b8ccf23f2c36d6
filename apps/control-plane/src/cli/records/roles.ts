import { GrantableRole } from '@roost/api-types/rest'
import { InvalidArgumentError } from 'commander'

/** Reads a list such as `gateway,proxy`. Names of the API, such as `runs_gateway`, are accepted, too. */
export function parseRoles(text: string): GrantableRole[] {
  return text.split(',').map((name) => {
    const role = GrantableRole.safeParse(`runs_${name.trim().replace(/^runs_/, '')}`)
    if (!role.success) throw new InvalidArgumentError('Use gateway, proxy, or both separated by a comma.')
    return role.data
  })
}

/** Returns roles as commands show them. */
export function roleNames(roles: readonly string[]): string {
  return roles.map((role) => role.slice('runs_'.length)).join(', ')
}
