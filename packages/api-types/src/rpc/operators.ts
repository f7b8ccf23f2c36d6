import { ApiKeyInput, ApiKeyRotation, OperatorChange, OperatorInput } from '../rest/index.js'
import { Id, ListInput, listQuery, read, router, write } from './procedures.js'

export const operatorsRouter = router({
  list: read.input(ListInput).query(({ ctx, input }) => ctx.services.operators.list(listQuery(input))),
  get: read.input(Id).query(({ ctx, input }) => ctx.services.operators.get(input.id)),
  create: write.input(OperatorInput).mutation(({ ctx, input }) => ctx.services.operators.create(input, ctx.caller)),
  change: write
    .input(Id.extend({ change: OperatorChange }))
    .mutation(({ ctx, input }) => ctx.services.operators.change(input.id, input.change, ctx.caller)),
  remove: write.input(Id).mutation(({ ctx, input }) => ctx.services.operators.remove(input.id, ctx.caller)),
})

export const apiKeysRouter = router({
  list: read.input(ListInput).query(({ ctx, input }) => ctx.services.apiKeys.list(listQuery(input))),
  create: write.input(ApiKeyInput).mutation(({ ctx, input }) => ctx.services.apiKeys.create(input, ctx.caller)),
  rotate: write
    .input(Id.extend({ rotation: ApiKeyRotation.prefault({}) }))
    .mutation(({ ctx, input }) => ctx.services.apiKeys.rotate(input.id, input.rotation, ctx.caller)),
  revoke: write.input(Id).mutation(({ ctx, input }) => ctx.services.apiKeys.revoke(input.id, ctx.caller)),
})
