import { adoption, type Fields, type ReadShare } from '../adopt.js'
import { appleDoubles } from './render.js'
import { accessOf } from './config.js'
import { sambaFormat, type SambaSection } from './format.js'
import type { Adoption } from '../share-server.js'

/** What a file of sections that was changed by hand says, in fields of shares. */
export function adoptSections(now: string, inForce: string): Adoption {
  return adoption(sambaFormat.parse(inForce).map(readSection), sambaFormat.parse(now).map(readSection))
}

const fieldOptions = new Set([
  'read only',
  'browseable',
  'guest ok',
  'create mask',
  'directory mask',
  'valid users',
  'hosts allow',
])

function readSection(section: SambaSection): ReadShare {
  const { path = '', isWritable, isForGuests, accounts, clients } = accessOf(section)
  const settings = new Map(section.settings)
  const veto = settings.get('veto files')
  const isOurVeto = veto === undefined || veto === appleDoubles
  const fields: Fields = {
    name: section.name,
    access_mode: isWritable ? 'rw' : 'ro',
    no_apple_doubles: veto !== undefined,
    clients_allowed_list: clients.join(','),
    cifs_browseable: settings.get('browseable')?.toLowerCase() !== 'no',
    cifs_guest_ok: isForGuests,
    cifs_create_mask: settings.get('create mask') ?? '0744',
    cifs_directory_mask: settings.get('directory mask') ?? '0755',
    ...accountFields(accounts, path),
  }
  const rest = section.settings.filter(
    ([option]) => !(fieldOptions.has(option) || (option === 'veto files' && isOurVeto)),
  )
  return { path, fields, rest: JSON.stringify([rest, hasOwnAccount(accounts, path)]) }
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
