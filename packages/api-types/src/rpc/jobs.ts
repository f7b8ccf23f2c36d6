import { JobInput } from '../rest/index.js'
import { Id, ListInput, listQuery, read, router, write } from './procedures.js'
import type { JobService, Services } from './services.js'

/** The procedures of one kind of deployment. `get` again until `finished` is set. */
export function jobsRouter(jobs: (services: Services) => JobService) {
  return router({
    list: read.input(ListInput).query(({ ctx, input }) => jobs(ctx.services).list(listQuery(input))),
    get: read.input(Id).query(({ ctx, input }) => jobs(ctx.services).get(input.id)),
    create: write.input(JobInput).mutation(({ ctx, input }) => jobs(ctx.services).create(input, ctx.caller)),
    cancel: write.input(Id).mutation(({ ctx, input }) => jobs(ctx.services).cancel(input.id, ctx.caller)),
  })
}
