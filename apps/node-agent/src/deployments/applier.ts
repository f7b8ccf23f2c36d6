import type { AppliedMessage, DeploymentPlan, DesiredState, DriftedItem, ProgressMessage } from '@roost/api-types/agent'

/** What became of a generation, and which one is in force now. */
export type Outcome = Pick<AppliedMessage, 'outcome' | 'in_force' | 'partly' | 'message' | 'files'> & {
  /** A part was left out that may succeed later: the same state is applied again until it is complete. */
  readonly isIncomplete?: boolean
}

export type ReportProgress = (state: ProgressMessage['state']) => void

type Kind = DesiredState['kind']

/** Makes this machine what a desired state of one kind says. Its methods are never under way at the same time. */
export interface Applier<K extends Kind = Kind> {
  readonly kind: K
  /** What `apply` would do; changes nothing. Of the same state on the same machine, the same. */
  plan(desired: DesiredState & { readonly kind: K }): Promise<DeploymentPlan>
  /**
   * Called again for the same generation when the agent was killed before the end of it: what is done already is not
   * done twice, and at no moment do the files of two generations mix.
   */
  apply(desired: DesiredState & { readonly kind: K }, generation: number, progress: ReportProgress): Promise<Outcome>
  /** What is not as the generation in force made it. */
  drift(): Promise<readonly DriftedItem[]>
  /** Tells when something that may have drifted was changed; answers how to end that. Drift is looked for once a minute besides. */
  watch?(changed: () => void): () => void
}

/** One of each kind at most. */
export type Appliers = { readonly [K in Kind]?: Applier<K> }
