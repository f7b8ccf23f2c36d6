import { adoption, type ReadShare } from '../adopt.js'
import { exportsFormat, type ExportLine } from './format.js'
import type { Adoption } from '../share-server.js'

/** What a file of exports(5) that was changed by hand says, in fields of shares. It does not know their names. */
export function adoptExports(now: string, inForce: string): Adoption {
  return adoption(exportsFormat.parse(inForce).map(readLine), exportsFormat.parse(now).map(readLine))
}

const fieldOptions = new Set(['rw', 'ro', 'root_squash', 'no_root_squash', 'secure', 'insecure'])

function readLine({ path, clients }: ExportLine): ReadShare {
  const options = clients[0]?.options ?? []
  // One set of fields is for all clients of a share.
  const isOne = clients.every((client) => client.options.join() === options.join())
  const hosts = clients.map(({ host }) => host)
  return {
    path,
    fields: {
      access_mode: options.includes('rw') ? 'rw' : 'ro',
      root_squash: !options.includes('no_root_squash'),
      secure: !options.includes('insecure'),
      clients_allowed_list: hosts.length === 1 && hosts[0] === '*' ? '' : hosts.join(','),
    },
    rest: JSON.stringify([isOne, hosts.length > 1 && hosts.includes('*'), restOf(options)]),
  }
}

function restOf(options: readonly string[]): readonly string[] {
  return options.filter((option) => !fieldOptions.has(option))
}
