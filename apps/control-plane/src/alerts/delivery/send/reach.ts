import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '@roost/api-types/rest'
import { isWithin } from '../../../config/networks.js'
import type { Networks } from '../../../config/networks.js'

/** Decides which servers alerts may be sent to. */
export interface Reach {
  /**
   * Returns an address of the host. Connect to this one: a second look-up may have another answer. Throws if alerts may be
   * sent to none of its addresses.
   */
  addressOf(host: string): Promise<string>
}

/** Allows addresses of the internet, and of the networks that the operator of this machine lists. */
export function createReach(networks: Networks): Reach {
  const isAllowed = (address: string) => isPublicAddress(address) || isWithin(networks, address)
  return {
    async addressOf(host) {
      const bare = host.replace(/^\[(.*)\]$/, '$1')
      const found = isIP(bare) === 0 ? await lookup(bare, { all: true }) : [{ address: bare }]
      const allowed = found.find(({ address }) => isAllowed(address))
      if (allowed !== undefined) return allowed.address
      const address = found[0]?.address ?? 'no address'
      throw new Error(
        `${host} is ${address}, which is not an address of the internet. To send alerts there, list it in ROOST_ALERT_NETWORKS of the control plane.`,
      )
    },
  }
}

/** Returns a look-up that always answers this address. */
export function lookupOf(address: string): LookupFunction {
  const family = isIP(address)
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}
