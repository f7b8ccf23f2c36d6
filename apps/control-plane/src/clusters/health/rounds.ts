import type { Severity } from '@roost/api-types/checks'
import type { HealthJudge, JudgedCluster } from './service.js'
import type { JudgedProblemStore } from './judged-problem-store.js'

/** The health of a cluster as it was judged last. */
export interface JudgedHealth {
  readonly id: number
  readonly cluster: string
  readonly verdict: 'ok' | 'warn' | 'critical'
  /** Null while no node has reported a ring. */
  readonly ringsAgree: boolean | null
  readonly reasons: readonly {
    readonly code: string
    readonly severity: Severity
    readonly subject: string
    /** Hostname; null where the reason is about the cluster. */
    readonly node: string | null
  }[]
}

export interface HealthRoundsOptions {
  readonly health: HealthJudge
  readonly store: JudgedProblemStore
  /** Gets all clusters at the end of a round. */
  readonly judged: (clusters: readonly JudgedCluster[]) => Promise<void>
}

export interface HealthRounds {
  /** Judges every cluster, and stores what concerns single nodes with these nodes. */
  run(): Promise<void>
  /** Returns the results of the last round. */
  latest(): readonly JudgedHealth[]
}

export function createHealthRounds({ health, store, judged }: HealthRoundsOptions): HealthRounds {
  let latest: readonly JudgedHealth[] = []
  return {
    async run() {
      const found: JudgedHealth[] = []
      const clusters: JudgedCluster[] = []
      for (const listed of await store.listClusters()) {
        const cluster = await health.judge(listed)
        const { id, name, verdict, ringsAgree, reasons, nodes } = cluster
        clusters.push(cluster)
        const byNode = new Map(
          nodes.map((node) => [node.id, reasons.filter((one) => one.nodeId === node.id && !one.isReported)]),
        )
        await store.save(byNode)
        const names = new Map(nodes.map((node) => [node.id, node.hostname]))
        const labeled = reasons.map(({ code, severity, subject, nodeId }) => {
          const node = nodeId === null ? null : (names.get(nodeId) ?? null)
          return { code, severity, subject, node }
        })
        found.push({ id, cluster: name, verdict, ringsAgree, reasons: labeled })
      }
      latest = found
      await judged(clusters)
    },
    latest: () => latest,
  }
}
