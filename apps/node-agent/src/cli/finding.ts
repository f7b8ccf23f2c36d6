export interface Finding {
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly check: string
  /** What was seen; when it is not well, with what to do about it. */
  readonly message: string
}
