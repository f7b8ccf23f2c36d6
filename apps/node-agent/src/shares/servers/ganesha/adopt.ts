import { adoption, type ReadShare } from '../adopt.js'
import { readSettings } from '../spelled-settings.js'
import { type GaneshaExport, readExports } from './read.js'
import type { Adoption } from '../share-server.js'

/** Reads the fields of shares from a file of EXPORT blocks that was changed by hand. */
export function adoptBlocks(now: string, inForce: string): Adoption {
  return adoption(readExports(inForce).map(readBlock), readExports(now).map(readBlock))
}

function readBlock({ id, path, tag, pseudo, clients, rights, rest }: GaneshaExport): ReadShare {
  const { fields, unread } = readSettings('ganesha', ({ spelling }) => rights.get(spelling.option))
  return {
    path,
    fields: {
      name: tag,
      ...fields,
      clients_allowed_list: clients.length === 1 && clients[0] === '*' ? '' : clients.join(','),
    },
    rest: JSON.stringify([id, pseudo === `/${tag}`, unread, rest]),
  }
}
