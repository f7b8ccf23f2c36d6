import { z } from 'zod'
import { examplesOf, ListMeta } from '../dialect/envelope.js'

/** Which time a row is about, in UTC, such as `2014-11-21 17:00:00Z`; `end` is the first moment after it. */
const interval = {
  start: z.string().meta({ description: 'UTC', example: '2014-11-21 17:00:00Z' }),
  end: z.string().meta({ description: 'End of the interval (exclusive), UTC', example: '2014-11-21 18:00:00Z' }),
  pct_complete: z
    .number()
    .min(0)
    .max(100)
    .describe('Percentage of the expected reports for the interval that have arrived'),
}

/** Sums may be beyond what an integer of JSON holds exactly; below 2^53 they are exact. */
const counter = (description: string) => z.number().min(0).describe(description)

const storageCounters = {
  bytes_used: counter('Maximum of the bytes stored during the interval, without replicas'),
  container_count: counter('Maximum number of containers during the interval'),
  object_count: counter('Maximum number of objects during the interval'),
  verified: z
    .boolean()
    .describe(
      'Whether at least two nodes have reported every half-hour. The second highest report counts, so that no single node can raise the usage',
    ),
}
const transferCounters = {
  bytes_in: counter('Bytes received from clients in the interval'),
  bytes_out: counter('Bytes sent to clients in the interval'),
  req_count: counter('Requests in the interval'),
}
const exampleHour = { start: '2014-11-21 17:00:00Z', end: '2014-11-21 18:00:00Z', pct_complete: 100 }
const exampleStorage = { ...exampleHour, bytes_used: 1_048_576, container_count: 2, object_count: 17, verified: true }
const exampleTransfer = { ...exampleHour, bytes_in: 65_536, bytes_out: 1_048_576, req_count: 42 }
const account = z.string().describe('The account, such as AUTH_bob')
const accountName = z
  .string()
  .optional()
  .describe(
    'The name of the user of the account, where Roost manages it; else of its project, where users are in Keystone',
  )

/** Returns the schemas of rows with these counters: of all accounts together, and of one account each. */
function rowsOf<C extends z.ZodRawShape>(kind: string, counters: C, example: object) {
  return {
    total: z.object({ ...interval, ...counters }).meta({ id: `${kind}Utilization`, examples: [example] }),
    ofAccount: z
      .object({ account, ...interval, ...counters, account_name: accountName })
      .meta({ id: `Account${kind}Utilization`, examples: [{ account: 'AUTH_bob', ...example }] }),
  }
}

const storageRows = rowsOf('Storage', storageCounters, exampleStorage)
const transferRows = rowsOf('Transfer', transferCounters, exampleTransfer)

export const StorageUtilization = storageRows.total
export type StorageUtilization = z.infer<typeof StorageUtilization>
export const AccountStorageUtilization = storageRows.ofAccount
export type AccountStorageUtilization = z.infer<typeof AccountStorageUtilization>
export const TransferUtilization = transferRows.total
export type TransferUtilization = z.infer<typeof TransferUtilization>
export const AccountTransferUtilization = transferRows.ofAccount
export type AccountTransferUtilization = z.infer<typeof AccountTransferUtilization>

/** The head of a list of utilization: what it is about, as long as there is any. */
export const UtilizationMeta = ListMeta.extend({
  account: z.string().optional(),
  policy_idx: z.int().optional(),
}).meta({ id: 'UtilizationMeta' })
export type UtilizationMeta = z.infer<typeof UtilizationMeta>

/** The envelope of utilization around rows of one kind. */
export function utilizationEnvelope<R extends z.ZodType>(record: R) {
  const objects = examplesOf(record)
  const meta = { limit: 20, offset: 0, next: null, previous: null, total_count: objects.length }
  return z.object({ meta: UtilizationMeta, objects: z.array(record) }).meta({ examples: [{ meta, objects }] })
}
