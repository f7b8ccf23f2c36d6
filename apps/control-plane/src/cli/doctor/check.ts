import type { Finding } from '@roost/runtime'

/** The verdict, and the state that was found; for a problem also what to do. */
export type Result = readonly [verdict: Finding['verdict'], message: string]

export interface Check {
  readonly name: string
  /** True if the checks after this one need its success. */
  readonly isRequired?: boolean
  /** A rejection counts as failed, with its message. */
  readonly run: () => Promise<Result>
}
