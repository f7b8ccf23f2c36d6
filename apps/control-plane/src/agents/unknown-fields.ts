import type { DesiredState } from '@roost/api-types/agent'
import type { AuthenticatedAgent } from './session.js'

/**
 * Returns why the agent cannot apply the state: shares have fields that it does not know. Agents of 0.1.0 ignore such fields
 * and would report the state as applied. Undefined: it can, or the node has no session.
 */
export function unknownFields(
  agent: Pick<AuthenticatedAgent, 'hostname' | 'shareFields'> | undefined,
  desired: DesiredState,
): string | undefined {
  if (agent === undefined || desired.kind !== 'gateway') return undefined
  for (const share of desired.shares) {
    const unknown = Object.keys(share).filter((field) => !agent.shareFields.has(field))
    if (unknown.length > 0)
      return `Share '${share.name}' sets ${unknown.join(', ')}, which the agent of ${agent.hostname} does not support: upgrade the agent of ${agent.hostname}.`
  }
  return undefined
}
