/**
 * All numbers of advisory locks. Two locks with the same number would wait for each other, so a new one is added here.
 * Answers to requests with an `Idempotency-Key` are locked by the 64-bit hash of their key.
 */
export const advisoryLocks = {
  /** Of the embedded server, in its database `postgres`: only the process that has it may stop the server. */
  embeddedServer: 7_264_001,
  migration: 7_264_002,
  firstStart: 7_264_003,
  /** Of a database: the control plane that uses it has it until it ends. */
  controlPlane: 7_264_004,
  /** Of the table `device_usage`: inventories and batches of reports write the same rows in different orders. */
  deviceUsage: 7_264_005,
  /** Of the job that makes the levels of the history of metrics. */
  historyLevels: 7_264_006,
} as const

/** First numbers of locks with two numbers, which PostgreSQL keeps apart from those with one. */
export const advisoryLockSpaces = {
  /** Second number: hash of the name of a table. */
  inserts: 7_264_101,
  /** Second number: id of a cluster. */
  inventory: 7_264_102,
} as const
