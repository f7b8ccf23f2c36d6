import { User, UserChange, UserInput, WrittenUser } from '../rest/index.js'
import { ListInput, listQuery, pageOf, read, router, TextId, write } from './procedures.js'

export const usersRouter = router({
  list: read
    .input(ListInput)
    .output(pageOf(User))
    .query(({ ctx, input }) => ctx.services.users.list(listQuery(input))),
  get: read
    .input(TextId)
    .output(User)
    .query(({ ctx, input }) => ctx.services.users.get(input.id)),
  create: write
    .input(UserInput)
    .output(WrittenUser)
    .mutation(({ ctx, input }) => ctx.services.users.create(input, ctx.caller)),
  change: write
    .input(TextId.extend({ change: UserChange }))
    .output(WrittenUser)
    .mutation(({ ctx, input }) => ctx.services.users.change(input.id, input.change, ctx.caller)),
  remove: write.input(TextId).mutation(({ ctx, input }) => ctx.services.users.remove(input.id, ctx.caller)),
})
