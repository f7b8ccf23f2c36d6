import { adoption, type Fields, type ReadShare } from '../adopt.js'
import { readSettings, spelledSettings } from '../spelled-settings.js'
import { accessOf } from './config.js'
import { sambaFormat, type SambaSection } from './format.js'
import type { Adoption } from '../share-server.js'

/** Reads the fields of shares from a file of sections that was changed by hand. */
export function adoptSections(now: string, inForce: string): Adoption {
  return adoption(sambaFormat.parse(inForce).map(readSection), sambaFormat.parse(now).map(readSection))
}

const ownOptions = new Set([
  'valid users',
  'hosts allow',
  ...spelledSettings('samba').map(({ spelling }) => spelling.option),
])

function readSection(section: SambaSection): ReadShare {
  const { path = '', accounts, clients } = accessOf(section)
  const options = new Map(section.settings)
  const { fields, unread } = readSettings('samba', ({ spelling }) => options.get(spelling.option))
  const rest = section.settings.filter(([option]) => !ownOptions.has(option))
  return {
    path,
    fields: {
      name: section.name,
      clients_allowed_list: clients.join(','),
      ...fields,
      ...accountFields(accounts, path),
    },
    rest: JSON.stringify([rest, unread, hasOwnAccount(accounts, path)]),
  }
}

/** The account of a share's own password follows from the password, and from no list. */
function hasOwnAccount(accounts: readonly string[], path: string): boolean {
  return accounts.includes(ownAccount(path))
}

function ownAccount(path: string): string {
  return `share-${path.slice(path.lastIndexOf('/') + 1)}`
}

function accountFields(accounts: readonly string[], path: string): Fields {
  const listed = accounts.filter((account) => account !== ownAccount(path))
  const groups = listed.filter((account) => account.startsWith('@')).map((account) => account.slice(1))
  return {
    cifs_valid_users: listed.filter((account) => !account.startsWith('@')).join(','),
    cifs_valid_groups: groups.join(','),
  }
}
