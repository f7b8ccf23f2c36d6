import { z } from 'zod'
import { boundedText } from '../values/text.js'
import { Id, read, router } from './procedures.js'

/** Which nodes and devices are part of the numbers of the cluster `id`, which are not, and why. */
export const explainRouter = router({
  capacity: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.explain(input.id)),
  forecast: read.input(Id).query(({ ctx, input }) => ctx.services.capacity.explainForecast(input.id)),
  health: read.input(Id).query(({ ctx, input }) => ctx.services.clusterHealth.explain(input.id)),
  metrics: read
    .input(Id.extend({ metrics: z.array(boundedText(65_536)) }))
    .query(({ ctx, input }) => ctx.services.metrics.explainCluster(input.id, input.metrics)),
})
