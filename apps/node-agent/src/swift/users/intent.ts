import type { Location } from './location.js'
import type { UserEntry } from './lines/entry.js'

/** The changes that a deployment will make. */
export interface Intent {
  readonly location: Location
  readonly entries: readonly UserEntry[]
  readonly text: string
  /** Our file now, and before a deployment that was killed. */
  readonly now: string | null
  readonly before: string | null
  /** A deployment was killed after it had changed the file. */
  readonly isHalfDone: boolean
  readonly revoked: readonly string[]
  /** Lines of the operator that the file replaces, and the one of before did not. */
  readonly replaced: readonly UserEntry[]
}
