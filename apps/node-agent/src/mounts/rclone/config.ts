import { StorageLogin } from '@roost/api-types/agent'
import * as z from 'zod/mini'

/** Logins, by the names of their remotes. */
export const Logins = z.record(z.string(), StorageLogin)
export type Logins = z.infer<typeof Logins>

/** Renders rclone's configuration file. Throws when rclone would read other values from it. */
export function renderRcloneConfig(logins: Logins): string {
  const text = Object.entries(logins)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([remote, { auth_url, user, key }]) =>
      [
        `[${remote}]`,
        'type = swift',
        'auth_version = 1',
        `auth = ${encode(auth_url)}`,
        `user = ${encode(user)}`,
        `key = ${encode(key)}`,
        '',
      ].join('\n'),
    )
    .join('\n')
  const read = parseRcloneConfig(text)
  for (const [remote, { auth_url, user, key }] of Object.entries(logins)) {
    const { auth, user: readUser, key: readKey } = read.get(remote) ?? {}
    if (auth !== auth_url || readUser !== user || readKey !== key)
      throw new Error(
        'The storage login has characters that rclone would misread. Set another login with `roost cluster set-storage`.',
      )
  }
  return text
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
