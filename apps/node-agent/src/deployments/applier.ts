import type { AppliedMessage, DeploymentPlan, DesiredState, DriftedItem, ProgressMessage } from '@roost/api-types/agent'

/** The result of a generation, and the generation that is in force now. */
export type Outcome = Pick<AppliedMessage, 'outcome' | 'in_force' | 'partly' | 'message' | 'files'> & {
  /** True when a part was left out that may succeed later: the same state is applied again until it is complete. */
  readonly isIncomplete?: boolean
}

export type ReportProgress = (state: ProgressMessage['state']) => void

type Kind = DesiredState['kind']

/** Applies desired states of one kind to this machine. Its methods never run at the same time. */
export interface Applier<K extends Kind = Kind> {
  readonly kind: K
  /** Returns what `apply` would do, and changes nothing. The same state on the same machine gives the same plan. */
  plan(desired: DesiredState & { readonly kind: K }): Promise<DeploymentPlan>
  /**
   * Applies a generation. It is called again when the agent was killed before the end: finished steps are not repeated,
   * and the files of two generations never mix.
   */
  apply(desired: DesiredState & { readonly kind: K }, generation: number, progress: ReportProgress): Promise<Outcome>
  /** Does what the generation in force left for later. Returns null if there is nothing. */
  complete?(): Promise<Outcome | null>
  /** Returns what differs from the generation in force. */
  drift(): Promise<readonly DriftedItem[]>
  /** Calls back when something that may have drifted has changed; returns a function that stops it. Drift is also checked once a minute. */
  watch?(changed: () => void): () => void
}

/** At most one applier for each kind. */
export type Appliers = { readonly [K in Kind]?: Applier<K> }
