const refusedStates = /^2[23][0-9A-Z]{3}$/
/** Prisma's own: value too long, unique, foreign key, constraint, null, out of range, number too large. */
const prismaCodes = new Set(['P2000', 'P2002', 'P2003', 'P2004', 'P2011', 'P2020', 'P2033'])

interface Traits {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** True when the database refused the values themselves (SQLSTATE class 22 or 23): the same values are refused again. */
export function isRefused(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, originalCode, cause, meta } = error as Traits
  const codes = [code, originalCode].filter((one) => typeof one === 'string')
  if (codes.some((one) => refusedStates.test(one) || prismaCodes.has(one))) return true
  return isRefused(cause) || isRefused(meta?.driverAdapterError)
}
