import { z } from 'zod'

/** What a series is of. */
export const UsageKind = z.enum(['storage', 'transfer'])
export type UsageKind = z.infer<typeof UsageKind>

/** A day or a month of UTC. */
export const UsageStep = z.enum(['day', 'month'])
export type UsageStep = z.infer<typeof UsageStep>

export const UsageGroup = z.enum(['policy', 'account'])
export type UsageGroup = z.infer<typeof UsageGroup>

/** More accounts cannot be distinguished. */
export const maxTop = 50
export const defaultTop = 10
/** A year of days and a month. */
export const maxUsageSteps = 400

const values = (description: string) =>
  z.array(z.number().min(0).nullable()).optional().describe(`${description}; null where nothing was reported`)

const UsageSeries = z.object({
  policy_idx: z.int().nullable().describe('Index of the storage policy'),
  account: z.string().nullable(),
  account_name: z.string().nullable().describe('The name of the user of the account, or of its project'),
  is_other: z.boolean().describe('All accounts together that have no series of their own'),
  pct_complete: z.array(z.number().min(0).max(100)).describe('Percentage of the expected reports that have arrived'),
  bytes_used: values('Maximum of the bytes stored in each step, summed over accounts and policies'),
  bytes_in: values('Bytes received from clients'),
  bytes_out: values('Bytes sent to clients'),
  req_count: values('Requests'),
})

/** Usage of a cluster by days or months, with one value a step in each array. */
export const UtilizationSeries = z
  .object({
    of: UsageKind,
    by: UsageStep,
    group: UsageGroup,
    steps: z.array(
      z.object({
        start: z.string().meta({ description: 'UTC', example: '2026-11-01 00:00:00Z' }),
        end: z.string().meta({ description: 'End of the step (exclusive), UTC', example: '2026-11-02 00:00:00Z' }),
      }),
    ),
    series: z.array(UsageSeries),
  })
  .meta({
    id: 'UtilizationSeries',
    examples: [
      {
        of: 'storage',
        by: 'day',
        group: 'policy',
        steps: [
          { start: '2026-11-01 00:00:00Z', end: '2026-11-02 00:00:00Z' },
          { start: '2026-11-02 00:00:00Z', end: '2026-11-03 00:00:00Z' },
        ],
        series: [
          {
            policy_idx: 0,
            account: null,
            account_name: null,
            is_other: false,
            pct_complete: [100, 0],
            bytes_used: [1_048_576, null],
          },
        ],
      },
    ],
  })
export type UtilizationSeries = z.infer<typeof UtilizationSeries>
