import { z } from 'zod'
import { relationUri, ResourceUri } from '../dialect/uri.js'

/** A node or a device with what it reported. */
export const ExplainedPart = z.object({
  node: relationUri('nodes').nullable(),
  device: relationUri('devices').nullable(),
  name: z.string().meta({ description: 'Name of the device, or subject of the problem; empty for a node' }),
  values: z.record(z.string(), z.number().nullable()).meta({ description: 'What it adds' }),
  read: z.iso.datetime().nullable().meta({ description: 'Time of the reading; null if there never was one' }),
})
export type ExplainedPart = z.infer<typeof ExplainedPart>

/** Why a node or a device is not part of a number. */
export const LeftOutReason = z
  .enum(['unmounted', 'missing', 'failed', 'not_read', 'no_policy', 'not_reported', 'offline', 'stale', 'no_value'])
  .meta({
    description:
      '`unmounted`, `missing`, `failed`: status of the device. `not_read`: its filesystem was never read. `no_policy`: no ring has it. ' +
      '`not_reported`: its node does not report it any more. `offline`: its node is not connected, or silent. `stale`: the reading is too old. ' +
      '`no_value`: the node does not report this value.',
  })
export type LeftOutReason = z.infer<typeof LeftOutReason>

export const LeftOutPart = ExplainedPart.extend({ reason: LeftOutReason })
export type LeftOutPart = z.infer<typeof LeftOutPart>

const parts = {
  counted_count: z.int(),
  counted: z.array(ExplainedPart).meta({ description: 'At most 1,000' }),
  left_out_count: z.int(),
  left_out: z.array(LeftOutPart).meta({ description: 'At most 1,000' }),
}

/** One number of an answer, or several that are made of the same readings. */
export const Explanation = z
  .object({
    name: z.string().meta({ description: 'Set of policies, metric, field of the health, or code of a check' }),
    values: z.record(z.string(), z.number().nullable()),
    rule: z.string().meta({ description: 'How the values are made of those of the parts' }),
    ...parts,
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof Explanation>

const reading = {
  node: '/api/v1/nodes/7/',
  device: '/api/v1/devices/91/',
  name: 'd5',
  values: { raw_bytes: 8e12, used_bytes: 4e12, free_bytes: 4e12 },
  read: '2026-11-22T09:59:50.000Z',
}
const leftOut = {
  node: '/api/v1/nodes/7/',
  device: '/api/v1/devices/92/',
  name: 'd6',
  values: {},
  read: null,
  reason: 'unmounted' as const,
}

/** Which nodes and devices are part of the numbers of an answer, which are not, and why. */
export const Explanations = z
  .object({ cluster: ResourceUri, made: z.iso.datetime(), explained: z.array(Explanation) })
  .meta({
    id: 'Explanations',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        made: '2026-11-22T10:00:00.000Z',
        explained: [
          {
            name: 'gold',
            values: { raw_bytes: 8e12, used_bytes: 4e12, free_bytes: 4e12 },
            rule: 'Sum of the devices that are in exactly these policies.',
            counted_count: 1,
            counted: [reading],
            left_out_count: 1,
            left_out: [leftOut],
          },
        ],
      },
    ],
  })
export type Explanations = z.infer<typeof Explanations>
