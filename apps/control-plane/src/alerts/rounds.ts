import { resourceUri } from '@roost/api-types/rest'
import type { Alert } from '@roost/api-types/rest'
import { decideAlerts } from './decide.js'
import { foundAlerts } from './found.js'
import type { JudgedCluster } from './found.js'
import type { AlertStore } from './store.js'

export interface AlertRoundsOptions {
  readonly store: AlertStore
  /** How long nothing may be concluded from silence after a start or an interruption, for so many nodes. */
  readonly settlingMs: (nodes: number) => number
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface FiringAlert extends Alert {
  readonly clusterName: string
}

export interface AlertRounds {
  /** Decides what becomes of the alerts of all clusters, after each round of their health. */
  run(clusters: readonly JudgedCluster[]): Promise<void>
  /** Returns the alerts that fire, or are unknown after they fired, as of the last round. */
  latest(): readonly FiringAlert[]
  /** Returns when the last round has ended, in Unix milliseconds. */
  evaluatedMs(): number
}

/** A longer pause between rounds: the control plane or its database did not work, or the clock was set. */
const interruptionMs = 120_000

export function createAlertRounds({ store, settlingMs, now }: AlertRoundsOptions): AlertRounds {
  let latest: readonly FiringAlert[] = []
  let lastMs = Number.NEGATIVE_INFINITY
  let settledMs = 0
  return {
    async run(clusters) {
      const nowMs = now()
      const nodes = clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0)
      if (nowMs - lastMs > interruptionMs || nowMs < lastMs) settledMs = nowMs + settlingMs(nodes)
      for (const cluster of clusters) {
        const open = await store.listOpen(cluster.id)
        const found = foundAlerts(cluster, open, nowMs < settledMs)
        const decision = decideAlerts(open, found, { nowMs, isKnown: cluster.isKnown })
        await store.apply(cluster.id, decision, new Date(nowMs))
      }
      lastMs = nowMs
      const names = new Map(clusters.map(({ id, name }) => [resourceUri('clusters', id), name]))
      const open = await store.openOrResolvedSince(new Date(nowMs))
      latest = open
        .filter(({ state }) => state === 'firing' || state === 'unknown')
        .map((alert) => ({ ...alert, clusterName: names.get(alert.cluster) ?? '' }))
    },
    latest: () => latest,
    evaluatedMs: () => lastMs,
  }
}
