import { createHmac } from 'node:crypto'
import { adoptableLinePattern, isStorageUrl, lineGroupPattern, maxProxyUsers } from '@roost/api-types/agent'
import type { ProxyUser } from '@roost/api-types/agent'
import type { Machine } from '../../machine/machine.js'
import { parseCasedIni } from '../config/ini.js'
import { fileName, findLocation } from './location.js'
import type { Location } from './location.js'
import type { UserEntry } from './lines/entry.js'

/** Lists the users that the operator has in the tempauth of this node's proxy, without their keys. Throws a sentence. */
export function listProxyUsers(
  machine: Machine,
  kernel: Machine,
  { swiftDirectory, salt }: { readonly swiftDirectory: string; readonly salt: string },
): readonly ProxyUser[] {
  const location = findLocation(machine, kernel, swiftDirectory)
  const files = filesOf(machine, location)
  const { prefix, operatorUsers } = location.settings
  return operatorUsers.slice(0, maxProxyUsers).map((entry) => {
    const { line, login, key, groups } = entry
    const file = files.get(line) ?? ''
    return {
      line,
      login,
      account: accountOf(prefix, entry),
      groups: [...groups],
      file,
      key_mac: createHmac('sha256', salt).update(key).digest('hex'),
      problem: problemOf(entry, file),
    }
  })
}

/** Returns the file of each line: of several, the one that the proxy reads last. */
function filesOf(machine: Machine, { folder, settings }: Location): ReadonlyMap<string, string> {
  const names = machine.list(folder).filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
  const lines = names
    .filter((name) => name !== fileName)
    .toSorted()
    .flatMap((name) => {
      const section = parseCasedIni(machine.read(`${folder}/${name}`) ?? '').get(settings.section)
      return [...(section?.keys() ?? [])].map((line) => [line, `${folder}/${name}`] as const)
    })
  return new Map(lines)
}

/** Returns the account that tempauth gives a user: that of its login, unless its line has a storage URL. */
function accountOf(prefix: string, { login, groups }: UserEntry): string {
  const last = groups.at(-1) ?? ''
  if (isStorageUrl(last)) return last.split('/').at(-1) ?? ''
  return prefix + (login.split(':')[0] ?? '')
}

function problemOf({ line, key, groups }: UserEntry, file: string): string | null {
  if (!adoptableLinePattern.test(line)) return `The name of its line (${line}) is not one that Roost can write.`
  if (key.includes('%') || groups.some((group) => group.includes('%') || !lineGroupPattern.test(group)))
    return 'Its line has a % or a character that Roost cannot write.'
  if ((file.split('/').at(-1) ?? '') > fileName)
    return `The proxy reads ${file} after ${fileName}, whose lines it would replace. Rename that file, for example to 40-users.conf.`
  return null
}
