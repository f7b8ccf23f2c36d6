import { createHash } from 'node:crypto'
import { alertOf, rankOf } from '@roost/api-types/checks'
import type { Problem } from '@roost/api-types/checks'
import type { FoundAlert, OpenAlert } from './decide.js'
import type { AlertScope } from './scope.js'

/** A problem of a cluster or of this control plane. */
export interface Reason extends Problem {
  readonly nodeId: number | null
  readonly deviceId: number | null
  readonly since: Date | null
  /** For how long it must last before its alert fires, where a rule and not its check says that. */
  readonly forSeconds?: number | undefined
}

/** A cluster, or this control plane, with what its checks found. */
export interface JudgedScope {
  readonly id: AlertScope
  readonly name: string
  readonly nodes: readonly { readonly id: number; readonly hostname: string }[]
  readonly reasons: readonly Reason[]
  /** Whether a former problem has ended if it is not among the reasons. */
  readonly isKnown: (former: Pick<OpenAlert, 'problem' | 'nodeId' | 'subject'>) => boolean
}

/** Problems that only missing messages show. */
const absences = new Set(['node_silent', 'cluster_silent'])

/**
 * Returns the alerts that the reasons of a cluster, or of this control plane, begin or keep. No absence begins one while `isSettling`, and no silence of
 * a node while that of its cluster is one.
 */
export function foundAlerts(
  { id: scope, nodes, reasons }: JudgedScope,
  open: readonly Pick<OpenAlert, 'fingerprint'>[],
  isSettling: boolean,
): readonly FoundAlert[] {
  const hostnames = new Map(nodes.map(({ id, hostname }) => [id, hostname]))
  const lasting = new Set(open.map(({ fingerprint }) => fingerprint))
  const isStorm = reasons.some(({ code }) => code === 'cluster_silent')
  const mayBegin = ({ code }: Reason) => !(isSettling && absences.has(code)) && !(isStorm && code === 'node_silent')
  return reasons.flatMap((reason) => {
    const { code: problem, severity, subject, nodeId, deviceId, since, value = null, threshold = null } = reason
    const { code, forSeconds } = alertOf(problem)
    const fingerprint = fingerprintOf([code, scope, nodeId, deviceId, subject])
    if (!lasting.has(fingerprint) && !mayBegin(reason)) return []
    const hostname = (nodeId === null ? undefined : hostnames.get(nodeId)) ?? ''
    const times = { forMs: (reason.forSeconds ?? forSeconds) * 1_000, sinceMs: since?.getTime() ?? null }
    const about = { nodeId, hostname, deviceId, subject, value, threshold }
    const rank = rankOf(problem, severity)
    return [{ fingerprint, code, problem, severity, rank, ...sentencesOf(reason), ...about, ...times }]
  })
}

/** Agents of before 0.3 report the message only. */
function sentencesOf({ message, remedy }: Pick<Reason, 'message' | 'remedy'>) {
  const end = ` ${remedy}`
  const isApart = remedy !== '' && message.endsWith(end)
  return isApart ? { summary: message.slice(0, -end.length), remedy } : { summary: message, remedy: '' }
}

function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
