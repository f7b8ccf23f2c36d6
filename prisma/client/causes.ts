export interface ErrorTraits {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly kind?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** Returns whether the test is true for the error or for one that caused it. */
export function someCause(error: unknown, test: (traits: ErrorTraits) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false
  const traits: ErrorTraits = error
  return test(traits) || someCause(traits.cause, test) || someCause(traits.meta?.driverAdapterError, test)
}
