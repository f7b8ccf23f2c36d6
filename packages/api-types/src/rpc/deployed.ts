import { z } from 'zod'
import { DriftAction, GenerationKind } from '../rest/index.js'
import { Offset } from './list-input.js'
import { Id, once, OnceInput, read, router, write } from './procedures.js'

const DriftedNodesInput = z
  .object({ cluster: Id.shape.id, limit: z.int().min(1).max(1000).default(20), offset: Offset.default(0) })
  .partial({ cluster: true })
  .prefault({})

/** Differences between nodes and what was deployed to them. */
export const driftRouter = router({
  /** Of a cluster, or of all. */
  list: read.input(DriftedNodesInput).query(({ ctx, input }) => ctx.services.driftedNodes.list(input)),
  get: read.input(Id).query(({ ctx, input }) => ctx.services.drift.get(input.id)),
  resolve: write
    .input(Id.extend({ ...DriftAction.shape, ...OnceInput.shape }))
    .mutation((call) =>
      once(call, ({ id, action }, caller) => call.ctx.services.drift.resolve(id, { action }, caller)),
    ),
})

const OfNode = z.object({ node: Id.shape.id, kind: GenerationKind })

/** What was deployed to the node with the id `node`. */
export const generationsRouter = router({
  list: read.input(OfNode).query(({ ctx, input }) => ctx.services.generations.list(input.node, input.kind)),
  diff: read
    .input(OfNode.extend({ a: Id.shape.id, b: Id.shape.id }))
    .query(({ ctx, input: { node, kind, a, b } }) => ctx.services.generations.diff(node, kind, a, b)),
})
