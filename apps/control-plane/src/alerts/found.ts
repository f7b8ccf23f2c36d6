import { createHash } from 'node:crypto'
import { alertOf } from '@roost/api-types/checks'
import type { Severity } from '@roost/api-types/checks'
import type { FoundAlert, OpenAlert } from './decide.js'

/** A reason of the health of a cluster. */
export interface Reason {
  readonly code: string
  readonly severity: Severity
  readonly subject: string
  readonly message: string
  readonly nodeId: number | null
  readonly deviceId: number | null
  readonly since: Date | null
}

/** A cluster with what its checks found. */
export interface JudgedCluster {
  readonly id: number
  readonly name: string
  readonly nodes: readonly { readonly id: number; readonly hostname: string }[]
  readonly reasons: readonly Reason[]
  /** Whether a former problem has ended if it is not among the reasons. */
  readonly isKnown: (former: Pick<OpenAlert, 'problem' | 'nodeId' | 'subject'>) => boolean
}

/** Problems that only missing messages show. */
const absences = new Set(['node_silent', 'cluster_silent'])

/**
 * Returns the alerts that the reasons of a cluster begin or keep. No absence begins one while `isSettling`, and no silence of
 * a node while that of its cluster is one.
 */
export function foundAlerts(
  { id: clusterId, nodes, reasons }: JudgedCluster,
  open: readonly Pick<OpenAlert, 'fingerprint'>[],
  isSettling: boolean,
): readonly FoundAlert[] {
  const hostnames = new Map(nodes.map(({ id, hostname }) => [id, hostname]))
  const lasting = new Set(open.map(({ fingerprint }) => fingerprint))
  const isStorm = reasons.some(({ code }) => code === 'cluster_silent')
  const mayBegin = ({ code }: Reason) => !(isSettling && absences.has(code)) && !(isStorm && code === 'node_silent')
  return reasons.flatMap((reason) => {
    const { code: problem, severity, subject, message: summary, nodeId, deviceId, since } = reason
    const { code, forSeconds } = alertOf(problem)
    const fingerprint = fingerprintOf([code, clusterId, nodeId, deviceId, subject])
    if (!lasting.has(fingerprint) && !mayBegin(reason)) return []
    const hostname = (nodeId === null ? undefined : hostnames.get(nodeId)) ?? ''
    const times = { forMs: forSeconds * 1_000, sinceMs: since?.getTime() ?? null }
    const about = { nodeId, hostname, deviceId, subject, summary, value: null, threshold: null }
    return [{ fingerprint, code, problem, severity, ...about, ...times }]
  })
}

function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
