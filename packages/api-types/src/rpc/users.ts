import { z } from 'zod'
import { User, UserChange, UserInput, WrittenUser } from '../rest/index.js'
import { Id, ListInput, listQuery, pageOf, read, router, write } from './procedures.js'

/** Users carry their id as text; both forms of it lead to them. */
const UserId = z.object({
  id: z.union([
    Id.shape.id,
    z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(Id.shape.id),
  ]),
})

export const usersRouter = router({
  list: read
    .input(ListInput)
    .output(pageOf(User))
    .query(({ ctx, input }) => ctx.services.users.list(listQuery(input))),
  get: read
    .input(UserId)
    .output(User)
    .query(({ ctx, input }) => ctx.services.users.get(input.id)),
  create: write
    .input(UserInput)
    .output(WrittenUser)
    .mutation(({ ctx, input }) => ctx.services.users.create(input, ctx.caller)),
  change: write
    .input(UserId.extend({ change: UserChange }))
    .output(WrittenUser)
    .mutation(({ ctx, input }) => ctx.services.users.change(input.id, input.change, ctx.caller)),
  remove: write.input(UserId).mutation(({ ctx, input }) => ctx.services.users.remove(input.id, ctx.caller)),
})
