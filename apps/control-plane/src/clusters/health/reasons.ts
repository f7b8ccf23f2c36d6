import { rankOf, severityOf } from '@roost/api-types/checks'
import type { Problem } from '@roost/api-types/checks'
import { resourceUri } from '@roost/api-types/rest'
import type { JudgedNode } from './store.js'

/** A reason of the health of a cluster. */
export interface Reason extends Problem {
  readonly nodeId: number | null
  readonly deviceId: number | null
  /** The agent of the node found it: the node has it already. */
  readonly isReported: boolean
  /** When it began, where a fact has a time of its own. */
  readonly since: Date | null
}

/** Orders reasons by their urgency. */
export function byRank(a: Reason, b: Reason): number {
  return (
    rankOf(a.code, a.severity) - rankOf(b.code, b.severity) ||
    compare(a.code, b.code) ||
    (a.nodeId ?? 0) - (b.nodeId ?? 0) ||
    compare(a.subject, b.subject)
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Returns the problems of a node, or of none, as reasons. */
export function ofNode(nodeId: number | null, problems: readonly Problem[], deviceId: number | null = null): Reason[] {
  return problems.map((problem) => ({ ...problem, nodeId, deviceId, isReported: false, since: null }))
}

/** Returns the reason of a problem that an agent has found. Agents of 0.2 report no severity. */
export function reported(
  nodeId: number,
  { severity, remedy = '', ...problem }: JudgedNode['problems'][number],
): Reason {
  return {
    ...problem,
    remedy,
    severity: severity ?? severityOf(problem.code),
    nodeId,
    deviceId: null,
    isReported: true,
    since: null,
  }
}

/** Returns the record of a reason. */
export function reasonRecord({ code, severity, subject, message, nodeId, deviceId }: Reason) {
  return {
    code,
    severity,
    subject,
    message,
    node: nodeId === null ? null : resourceUri('nodes', nodeId),
    device: deviceId === null ? null : resourceUri('devices', deviceId),
  }
}
