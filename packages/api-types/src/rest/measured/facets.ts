import { z } from 'zod'
import { forEachRole } from '../../values/node-roles.js'

const Total = z.int().meta({ description: 'Records that match all filters' })
const Counts = z
  .record(z.string(), z.int())
  .meta({ description: 'By value: how many records match all filters but those of this field' })

/** How many nodes have which value, by the filters of their list. */
export const NodeFacets = z
  .object({
    total: Total,
    state: Counts,
    config_state: Counts,
    agent_version: Counts,
    has_problems: Counts,
    ...forEachRole(() => Counts),
  })
  .meta({
    id: 'NodeFacets',
    examples: [
      {
        total: 4,
        state: { online: 9991, offline: 4 },
        config_state: { synced: 4 },
        agent_version: { '0.1.0': 4 },
        has_problems: { true: 1, false: 3 },
        ...forEachRole(() => ({ true: 1, false: 3 })),
      },
    ],
  })
export type NodeFacets = z.infer<typeof NodeFacets>

/** The same of devices. A device counts for each of its policies. */
export const DeviceFacets = z.object({ total: Total, status: Counts, policy: Counts }).meta({
  id: 'DeviceFacets',
  examples: [{ total: 12, status: { ok: 12, failed: 1 }, policy: { gold: 12, silver: 4 } }],
})
export type DeviceFacets = z.infer<typeof DeviceFacets>
