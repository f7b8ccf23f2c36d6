import type {
  ClusterSummary,
  Containers,
  HeartbeatStatus,
  Preferences,
  PreferencesChange,
  SearchResult,
  SystemInfo,
} from '../rest/index.js'
import type { Caller, ChangeOptions, Filter } from './verbs.js'

/** Counts of a cluster for a first look. Throws `not_found`. */
export interface ClusterSummaryService {
  /** As it was a second ago at most; it costs the same for any number of callers. */
  ofCluster(clusterId: number): Promise<ClusterSummary>
}

/** Counts records by the values of their fields, each under the filters of the others. */
export interface Faceted<F> {
  facets(filters: readonly Filter[]): Promise<F>
}

/** How each operator has the console displayed. */
export interface PreferencesService {
  get(caller: Caller): Promise<Preferences>
  /** Changes the fields given, of the caller's own. */
  set(change: PreferencesChange, caller: Caller, options?: ChangeOptions): Promise<Preferences>
}

/** The dead man's switch. */
export interface HeartbeatService {
  get(): HeartbeatStatus
}

/** The control plane itself. */
export interface SystemService {
  get(): Promise<SystemInfo>
}

/** Of a search. */
export const maxHits = 100

/** Finds nodes, devices, shares and users by a part of what people know of them. */
export interface SearchService {
  /** `text` has 1 to 100 characters, `limit` is 1 to 100. Letter case does not count. */
  find(text: string, limit: number): Promise<SearchResult>
}

export interface ContainerQuery {
  /** Id of the cluster. */
  readonly cluster: number
  /** With what their names begin; empty: all. */
  readonly q: string
  readonly limit: number
}

/** The containers that the gateways of a cluster could share. */
export interface ContainerService {
  /** Asks Swift. Throws `not_found`, also without a storage login, and `unavailable` with the reason why there is no answer. */
  list(query: ContainerQuery): Promise<Containers>
}
