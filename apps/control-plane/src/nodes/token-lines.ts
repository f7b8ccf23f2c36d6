import type { CreatedToken } from '@roost/api-types/rpc'
import { installLine } from '../packages/install-script.js'

/** A role whose servers are prepared on a new node. */
export type PreparedRole = 'gateway' | 'proxy' | 'storage'

/** Returns what to paste on a new node. `prepared`: the roles whose servers it prepares. */
export type TokenLines = (
  token: string,
  prepared: readonly PreparedRole[],
) => Promise<Pick<CreatedToken, 'install' | 'lines' | 'warning'>>

export interface TokenLineOptions {
  /** How nodes reach this control plane, such as `https://roost.example:8443`. */
  readonly publicUrl: () => string
  /** SHA-256 of the certificate authority that a new agent is to pin; null where it trusts the system's. */
  readonly caSha256: () => string | null
  /** Base64 of the SHA-256 of the server's public key; null where the system's authorities vouch for it. */
  readonly serverPin: () => string | null
  /** Whether only this machine can reach the listener. */
  readonly isLoopbackOnly: () => boolean
  /** Whether there is a package of the agent for new nodes. */
  readonly hasAgent: () => Promise<boolean>
  /** How an operator adds one, as a sentence. */
  readonly missingPackages: string
}

export function createTokenLines({
  publicUrl,
  caSha256,
  serverPin,
  isLoopbackOnly,
  hasAgent,
  missingPackages,
}: TokenLineOptions): TokenLines {
  return async (token, prepared) => {
    const url = publicUrl()
    const isOffered = await hasAgent()
    const flags = prepared.length === 0 ? [] : ['--prepare', prepared.join(',')]
    const warnings = [
      ...(isLoopbackOnly() ? [loopbackWarning(url)] : []),
      ...(isOffered ? [] : [`These lines are for a machine that has the agent. ${missingPackages}`]),
    ]
    return {
      install: isOffered ? installLine(url, serverPin(), token, flags) : null,
      lines: [
        enrollLine(url, token, caSha256()),
        ...prepared.map((role) => `roost-agent ${role} prepare --yes`),
        'roost-agent run',
      ],
      warning: warnings.length === 0 ? null : warnings.join(' '),
    }
  }
}

function enrollLine(url: string, token: string, caSha256: string | null): string {
  const pin = caSha256 === null ? '' : ` --ca-sha256 ${caSha256}`
  return `roost-agent enroll --server ${url} --token ${token}${pin}`
}

function loopbackWarning(url: string): string {
  return `${url} can be reached only from this machine. For other machines, start the control plane with ROOST_LISTEN=0.0.0.0:8443 and ROOST_PUBLIC_URL=https://its-name:8443.`
}
