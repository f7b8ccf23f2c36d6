import {
  defaultTop,
  maxTop,
  RoostError,
  UsageGroup,
  UsageKind,
  UsageStep,
  UtilizationSeries,
} from '@roost/api-types/rest'
import type { UsageSeriesQuery, UsageSeriesService } from '@roost/api-types/rpc'
import { z } from 'zod'
import { sendCsv } from '../http/dialect/csv.js'
import type { CsvRow } from '../http/dialect/csv.js'
import type { Route } from '../http/dialect/route.js'

interface UsageSeriesRoutesOptions {
  readonly series: UsageSeriesService
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
}

/** Usage of a cluster by days or months. */
export function usageSeriesRoutes({ series, requireCluster }: UsageSeriesRoutesOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/utilization/series/',
      resource: 'clusters',
      summary: 'Usage by days or months: stored bytes by policy, or storage or transfer of the largest accounts',
      query,
      requiredQuery: ['start'],
      status: 200,
      answer: UtilizationSeries,
      csv: true,
      requireRecord: requireCluster,
      async handle({ id, query: asked }, reply) {
        const answer = await series.get(id, queryOf(asked))
        if (asked.getAll('format').at(-1) !== 'csv') return answer
        return sendCsv(reply, columns, [rowsOf(answer)])
      },
    },
  ]
}

const query = {
  of: UsageKind.describe('Default: storage'),
  by: UsageStep.describe('Days or months of UTC. Default: day'),
  group: UsageGroup.describe('Default: policy for storage; transfer is known by account only'),
  top: z
    .int()
    .min(0)
    .max(maxTop)
    .describe(`How many accounts have a series of their own; 0: all together. Default: ${defaultTop}`),
  start: z.string().describe('ISO 8601; UTC if no time zone is given. Rounded down to the half-hour'),
  end: z.string().describe('Default: now. Rounded up to complete hours after the rounded start'),
  format: z.enum(['json', 'csv']).describe('csv: a row for each step of each series'),
}

function queryOf(query: URLSearchParams): UsageSeriesQuery {
  const last = (name: string) => query.getAll(name).at(-1)
  return {
    of: choiceIn('of', UsageKind, last('of') ?? 'storage'),
    by: choiceIn('by', UsageStep, last('by') ?? 'day'),
    group: query.has('group') ? choiceIn('group', UsageGroup, last('group') ?? '') : undefined,
    top: topIn(last('top')),
    start: last('start') ?? '',
    end: last('end'),
  }
}

function choiceIn<Value extends string>(name: string, choice: z.ZodType<Value> & { options: Value[] }, text: string) {
  const found = choice.options.find((value) => value === text)
  if (found !== undefined) return found
  throw invalid(name, text, choice.options.join(' or '))
}

function topIn(text: string | undefined): number {
  if (text === undefined) return defaultTop
  const top = /^\d{1,3}$/.test(text) ? Number(text) : maxTop + 1
  if (top <= maxTop) return top
  throw invalid('top', text, `a number from 0 to ${maxTop}`)
}

function invalid(name: string, text: string, known: string): RoostError {
  return new RoostError('invalid', `Invalid ${name} '${text.slice(0, 64)}' provided. Please provide ${known}.`)
}

const counters = ['bytes_used', 'bytes_in', 'bytes_out', 'req_count'] as const
const columns = ['start', 'end', 'policy_idx', 'account', 'account_name', 'is_other', 'pct_complete', ...counters]

function rowsOf({ steps, series }: UtilizationSeries): readonly CsvRow[] {
  return series.flatMap(({ policy_idx, account, account_name, is_other, pct_complete, ...values }) =>
    steps.map((step, i) => ({
      ...step,
      policy_idx: policy_idx ?? undefined,
      account: account ?? undefined,
      account_name: account_name ?? undefined,
      is_other,
      pct_complete: pct_complete[i],
      ...Object.fromEntries(counters.map((name) => [name, values[name]?.[i] ?? undefined])),
    })),
  )
}
