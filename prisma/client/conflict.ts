import { someCause } from './causes.js'

/** SQLSTATE class 40 (deadlocks, failed serialization) and a lock that was not granted in time. */
const sqlStates = /^(40...|55P03)$/

/** True when a query failed only because of another transaction, so that a later attempt may succeed. */
export function isConflict(error: unknown): boolean {
  return someCause(error, ({ code, originalCode, kind }) =>
    [code, originalCode, kind].some(
      (one) =>
        typeof one === 'string' && (sqlStates.test(one) || one === 'P2034' || one === 'TransactionWriteConflict'),
    ),
  )
}
