import { z } from 'zod'

/** The name of a set of records that `roost apply` made together. */
export const SetName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'Use 1 to 64 letters, digits, dots, underscores or dashes.')

/** Shows the set of a record; absent for a record that `roost apply` did not make. */
export const shownSet = z
  .string()
  .optional()
  .meta({ description: 'Set of `roost apply` that made the record; absent for other records' })

/** Null takes a record out of its set, so that `roost apply --prune` never removes it. */
export const changedSet = SetName.nullable()
