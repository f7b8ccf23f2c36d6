import { z } from 'zod'
import { defaultTop, maxId, maxTop, UsageGroup, UsageKind, UsageStep } from '../rest/index.js'
import { boundedText } from '../values/text.js'
import { Offset } from './list-input.js'
import { Id, read, router, write } from './procedures.js'

const account = boundedText(512).min(1)
const time = boundedText(64)
const page = { limit: z.int().min(1).max(1000).default(1000), offset: Offset.default(0) }

/** Of the cluster `id`. */
const Transfer = Id.extend({ start: time, end: time.optional() })
const Storage = Transfer.extend({ policy_idx: z.int().min(0).max(maxId) })

const clusterOf = ({ id }: z.infer<typeof Id>) => ({ clusterId: id })
const policyOf = ({ id, policy_idx: policyIdx }: z.infer<typeof Storage>) => ({ clusterId: id, policyIdx })

const Series = Transfer.extend({
  of: UsageKind.default('storage'),
  by: UsageStep.default('day'),
  group: UsageGroup.optional(),
  top: z.int().min(0).max(maxTop).default(defaultTop),
})

export const utilizationRouter = router({
  series: read.input(Series).query(({ ctx, input: { id, ...query } }) => ctx.services.usageSeries.get(id, query)),
  /** Removes what the node `node` has reported. */
  remove: write
    .input(z.object({ node: z.int().min(1).max(maxId), start: time, end: time.optional() }))
    .mutation(({ ctx, input }) => ctx.services.usageRemoval.remove(input, ctx.caller)),
  storage: router({
    ofAccounts: read
      .input(Storage.extend(page))
      .query(({ ctx, input }) => ctx.services.utilization.storage.ofAccounts(policyOf(input), input, input)),
    ofAccount: read
      .input(Storage.extend({ account }))
      .query(({ ctx, input }) => ctx.services.utilization.storage.ofAccount(policyOf(input), input.account, input)),
    detail: read
      .input(Storage.extend({ account, ...page }))
      .query(({ ctx, input }) => ctx.services.utilization.storage.detail(policyOf(input), input.account, input, input)),
    total: read
      .input(Storage)
      .query(({ ctx, input }) => ctx.services.utilization.storage.total(policyOf(input), input)),
  }),
  transfer: router({
    ofAccounts: read
      .input(Transfer.extend(page))
      .query(({ ctx, input }) => ctx.services.utilization.transfer.ofAccounts(clusterOf(input), input, input)),
    ofAccount: read
      .input(Transfer.extend({ account }))
      .query(({ ctx, input }) => ctx.services.utilization.transfer.ofAccount(clusterOf(input), input.account, input)),
    detail: read
      .input(Transfer.extend({ account, ...page }))
      .query(({ ctx, input }) =>
        ctx.services.utilization.transfer.detail(clusterOf(input), input.account, input, input),
      ),
    total: read
      .input(Transfer)
      .query(({ ctx, input }) => ctx.services.utilization.transfer.total(clusterOf(input), input)),
  }),
})
