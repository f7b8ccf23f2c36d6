import { adoption, type ReadShare } from '../adopt.js'
import { type GaneshaExport, readExports } from './read.js'
import type { Adoption } from '../share-server.js'

/** What a file of EXPORT blocks that was changed by hand says, in fields of shares. */
export function adoptBlocks(now: string, inForce: string): Adoption {
  return adoption(readExports(inForce).map(readBlock), readExports(now).map(readBlock))
}

function readBlock({ id, path, tag, pseudo, clients, access, squash, privilegedPort, rest }: GaneshaExport): ReadShare {
  const isKnown = /^R[WO]$/.test(access) && /^(?:no_)?root_squash$/.test(squash) && pseudo === `/${tag}`
  return {
    path,
    fields: {
      name: tag,
      access_mode: access === 'RW' ? 'rw' : 'ro',
      root_squash: squash === 'root_squash',
      secure: privilegedPort.toLowerCase() === 'true',
      clients_allowed_list: clients.length === 1 && clients[0] === '*' ? '' : clients.join(','),
    },
    rest: JSON.stringify([id, isKnown, rest]),
  }
}
