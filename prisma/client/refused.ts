import { someCause } from './causes.js'

const refusedStates = /^2[23][0-9A-Z]{3}$/
/** Prisma's own: value too long, unique, foreign key, constraint, null, out of range, number too large. */
const prismaCodes = new Set(['P2000', 'P2002', 'P2003', 'P2004', 'P2011', 'P2020', 'P2033'])

/** True when the database refused the values themselves (SQLSTATE class 22 or 23): the same values are refused again. */
export function isRefused(error: unknown): boolean {
  return someCause(error, ({ code, originalCode }) =>
    [code, originalCode].some((one) => typeof one === 'string' && (refusedStates.test(one) || prismaCodes.has(one))),
  )
}
