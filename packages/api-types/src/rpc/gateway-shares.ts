import {
  GatewayShare,
  GatewayShareChange,
  GatewayShareInput,
  LeftoverRemoval,
  RemovedLeftovers,
  ShareUploads,
  WrittenGatewayShare,
} from '../rest/index.js'
import { Id, ListInput, listQuery, pageOf, read, router, write } from './procedures.js'

export const gatewaySharesRouter = router({
  list: read
    .input(ListInput)
    .output(pageOf(GatewayShare))
    .query(({ ctx, input }) => ctx.services.gatewayShares.list(listQuery(input))),
  get: read
    .input(Id)
    .output(GatewayShare)
    .query(({ ctx, input }) => ctx.services.gatewayShares.get(input.id)),
  uploads: read
    .input(Id)
    .output(ShareUploads)
    .query(({ ctx, input }) => ctx.services.shareUploads.get(input.id)),
  removeLeftovers: write
    .input(Id.extend(LeftoverRemoval.shape))
    .output(RemovedLeftovers)
    .mutation(({ ctx, input: { id, ...removal } }) =>
      ctx.services.shareUploads.removeLeftovers(id, removal, ctx.caller),
    ),
  create: write
    .input(GatewayShareInput)
    .output(WrittenGatewayShare)
    .mutation(({ ctx, input }) => ctx.services.gatewayShares.create(input, ctx.caller)),
  change: write
    .input(Id.extend({ change: GatewayShareChange }))
    .output(WrittenGatewayShare)
    .mutation(({ ctx, input }) => ctx.services.gatewayShares.change(input.id, input.change, ctx.caller)),
  remove: write.input(Id).mutation(({ ctx, input }) => ctx.services.gatewayShares.remove(input.id, ctx.caller)),
})
