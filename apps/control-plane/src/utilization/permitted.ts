import type { UsageMessage } from '@roost/api-types/agent'
import type { Reporter } from './intake-store.js'

type Usage = Pick<UsageMessage, 'storage' | 'transfer' | 'log_read'>

export interface PermittedUsage {
  readonly usage: Usage
  /** Why a part of the message is refused. The agent keeps the message and sends it again; what is permitted is stored. */
  readonly refusal: string | undefined
}

/** Returns the part of a message that this node may report. */
export function permittedUsage(
  { storage, transfer, log_read: logRead }: Usage,
  { inAccountRing, isProxy, policies }: Reporter,
): PermittedUsage {
  const unknown = storage.find(({ policy }) => !policies.has(policy))
  const hasTransfer = transfer.length > 0 || logRead !== null
  const refusals = [
    storage.length > 0 && !inAccountRing && 'This node has no device in the account ring, so it cannot report storage.',
    unknown !== undefined && `The cluster has no storage policy ${unknown.policy}.`,
    hasTransfer && !isProxy && 'No operator has approved this node as a proxy, so it cannot report transfer.',
  ]
  return {
    usage: {
      storage: inAccountRing ? storage.filter(({ policy }) => policies.has(policy)) : [],
      transfer: isProxy ? transfer : [],
      log_read: isProxy ? logRead : null,
    },
    refusal: refusals.find((reason) => reason !== false),
  }
}
