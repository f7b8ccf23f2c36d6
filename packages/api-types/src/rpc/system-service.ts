import type { ClusterSummary, SystemInfo } from '../rest/index.js'

/** Counts of a cluster for a first look. Throws `not_found`. */
export interface ClusterSummaryService {
  /** As it was a second ago at most; it costs the same for any number of callers. */
  ofCluster(clusterId: number): Promise<ClusterSummary>
}

/** The control plane itself. */
export interface SystemService {
  get(): Promise<SystemInfo>
}
