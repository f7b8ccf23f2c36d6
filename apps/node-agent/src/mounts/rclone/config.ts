import { isDeepStrictEqual } from 'node:util'
import { StorageLogin } from '@roost/api-types/agent'
import * as z from 'zod/mini'

/** Logins, by the names of their remotes. */
export const Logins = z.record(z.string(), StorageLogin)
export type Logins = z.infer<typeof Logins>

/** Renders rclone's configuration file. Throws when rclone would read other values from it. */
export function renderRcloneConfig(logins: Logins): string {
  const remotes = Object.entries(logins)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([remote, login]) => ({ remote, options: optionsOf(login) }))
  const text = remotes
    .map(({ remote, options }) => {
      const lines = Object.entries(options).map(([name, value]) => `${name} = ${encode(value)}`)
      return [`[${remote}]`, ...lines, ''].join('\n')
    })
    .join('\n')
  const read = parseRcloneConfig(text)
  for (const { remote, options } of remotes)
    if (!isDeepStrictEqual({ ...read.get(remote) }, options))
      throw new Error(
        'The storage login has characters that rclone would misread. Set another login with `roost cluster set-storage`.',
      )
  return text
}

/** Returns the options of rclone's Swift backend for a login. */
function optionsOf(login: StorageLogin): Readonly<Record<string, string>> {
  const { auth_url: auth, auth_version: version = 1, user, key } = login
  const { application_credential_id: id, application_credential_name: name } = login
  const isCredential = id !== undefined || name !== undefined
  const options = {
    type: 'swift',
    auth_version: String(version),
    auth,
    user: user === '' ? undefined : user,
    key: isCredential ? undefined : key,
    domain: login.user_domain,
    // Keystone refuses a scope beside an application credential, which has its own.
    tenant: isCredential ? undefined : login.project,
    tenant_domain: isCredential ? undefined : login.project_domain,
    application_credential_id: id,
    application_credential_name: name,
    application_credential_secret: isCredential ? key : undefined,
    region: login.region,
    endpoint_type: login.interface,
  }
  return Object.fromEntries(
    Object.entries(options).filter((option): option is [string, string] => option[1] !== undefined),
  )
}

/** Quotes a value: rclone reads the text between a first and a last backquote literally. */
function encode(value: string): string {
  return /^["`]/.test(value) ? `\`${value}\`` : value
}

/** Parses a configuration as rclone does. */
function parseRcloneConfig(text: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const sections = new Map<string, Record<string, string>>()
  let section: Record<string, string> = {}
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    const name = /^\[(.*)\]$/.exec(line)?.[1]
    const [, option, value] = /^([^=:]*?)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (name !== undefined) sections.set(name, (section = {}))
    else if (option !== undefined && !/^[#;]/.test(line)) section[option] = decode(value ?? '')
  }
  return sections
}

function decode(value: string): string {
  const quoted = /^`(.*)`$/s.exec(value)?.[1] ?? value
  // rclone replaces this by another option, or by nothing.
  return quoted.replaceAll(/%\([^)]+\)s/g, '')
}
