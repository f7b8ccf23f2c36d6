import { confirmCapability, type DesiredState } from '@roost/api-types/agent'
import type { AuthenticatedAgent } from './session.js'

type KnownFields = Pick<AuthenticatedAgent, 'hostname' | 'shareFields' | 'storageFields'>

/**
 * Returns why the agent cannot apply the state: shares or the storage login have fields that it does not know. Agents of 0.1.0
 * ignore such fields of shares and would report the state as applied. Undefined: it can, or the node has no session.
 */
export function unknownFields(agent: KnownFields | undefined, desired: DesiredState): string | undefined {
  if (agent === undefined || desired.kind !== 'gateway') return undefined
  for (const share of desired.shares) {
    const unknown = unknownIn(share, agent.shareFields)
    if (unknown.length > 0) return unsupported(`Share '${share.name}'`, unknown, agent)
  }
  const unknown = unknownIn(desired.storage ?? {}, agent.storageFields)
  return unknown.length > 0 ? unsupported('The storage login of the cluster', unknown, agent) : undefined
}

/** Returns why the agent cannot return by itself from a generation that is not confirmed; undefined: it can, or the node has no session. */
export function cannotConfirm(
  agent: Pick<AuthenticatedAgent, 'hostname' | 'capabilities'> | undefined,
): string | undefined {
  if (agent === undefined || agent.capabilities.has(confirmCapability)) return undefined
  const { hostname } = agent
  return `The agent of ${hostname} cannot return by itself from a deployment that is not confirmed: upgrade the agent of ${hostname}, or deploy without confirm_within_s.`
}

function unknownIn(record: object, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(record).filter((field) => !known.has(field))
}

function unsupported(subject: string, fields: readonly string[], { hostname }: KnownFields): string {
  return `${subject} sets ${fields.join(', ')}, which the agent of ${hostname} does not support: upgrade the agent of ${hostname}.`
}
