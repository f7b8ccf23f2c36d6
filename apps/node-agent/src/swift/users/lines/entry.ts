/** A user of tempauth. */
export interface UserEntry {
  /** The name of its line. */
  readonly line: string
  /** `<account>:<user>`, with which it logs in. */
  readonly login: string
  readonly key: string
  readonly groups: readonly string[]
}
