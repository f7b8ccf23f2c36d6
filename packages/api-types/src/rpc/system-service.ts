import type { ClusterSummary, SearchResult, SystemInfo } from '../rest/index.js'

/** Counts of a cluster for a first look. Throws `not_found`. */
export interface ClusterSummaryService {
  /** As it was a second ago at most; it costs the same for any number of callers. */
  ofCluster(clusterId: number): Promise<ClusterSummary>
}

/** The control plane itself. */
export interface SystemService {
  get(): Promise<SystemInfo>
}

/** Of a search. */
export const maxSearchLength = 100
export const maxHits = 100

/** Finds nodes, devices, shares and users by a part of what people know of them. */
export interface SearchService {
  /** `text` has 1 to 100 characters, `limit` is 1 to 100. Letter case does not count. */
  find(text: string, limit: number): Promise<SearchResult>
}
