import type { Page, Slice, StorageScope, UsageRange } from '@roost/api-types/rpc'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { sendCsv } from '../http/dialect/csv.js'
import type { CsvRow } from '../http/dialect/csv.js'
import { parsePaging } from '../http/dialect/list-query.js'
import { listMeta } from '../http/dialect/paging.js'
import type { RouteRequest } from '../http/dialect/route.js'
import type { UsageFeed } from './service.js'

export interface Question<Scope> {
  readonly scope: Scope
  /** Empty where it is about all accounts. */
  readonly account: string
  readonly range: UsageRange
}

type Rows = readonly CsvRow[]

/** One way to look at usage: a page of its rows, or all of them in pieces. */
export interface View<Scope> {
  /** Behind the path of the kind of usage. */
  readonly path: string
  readonly summary: string
  readonly record: z.ZodObject
  page(question: Question<Scope>, slice: Slice): Promise<Page<CsvRow>>
  everything(question: Question<Scope>): Promise<AsyncIterable<Rows> | Iterable<Rows>>
}

export function viewsOf<Scope, Row extends CsvRow, AccountRow extends CsvRow>(
  feed: UsageFeed<Scope, Row, AccountRow>,
  record: z.ZodObject,
  accountRecord: z.ZodObject,
): readonly View<Scope>[] {
  return [
    {
      path: '',
      summary: 'one row per account, over the complete time range',
      record: accountRecord,
      page: ({ scope, range }, slice) => feed.ofAccounts(scope, range, slice),
      everything: ({ scope, range }) => feed.everyAccount(scope, range),
    },
    oneRow('total/', 'one row for all accounts together', record, ({ scope, range }) => feed.total(scope, range)),
    oneRow(':account/', 'one row of an account, over the complete time range', record, ({ scope, account, range }) =>
      feed.ofAccount(scope, account, range),
    ),
    {
      path: ':account/detail/',
      summary: 'one row per hour of an account',
      record,
      page: ({ scope, account, range }, slice) => feed.detail(scope, account, range, slice),
      everything: ({ scope, account, range }) => feed.everyHour(scope, account, range),
    },
  ]
}

/** A view that has one row at most; a page may still leave it out. */
function oneRow<Scope>(
  path: string,
  summary: string,
  record: z.ZodObject,
  ask: (question: Question<Scope>) => Promise<Page<CsvRow>>,
): View<Scope> {
  return {
    path,
    summary,
    record,
    async page(question, { offset }) {
      const { objects, total } = await ask(question)
      return { objects: objects.slice(offset), total }
    },
    everything: async (question) => [(await ask(question)).objects],
  }
}

/** Answers a view in the list envelope, or as CSV. */
export async function answerView<Scope extends Partial<StorageScope>>(
  view: View<Scope>,
  path: string,
  scope: Scope,
  request: RouteRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { query, params, rawQuery } = request
  const slice = parsePaging(query)
  const { account = '' } = params
  const range = { start: query.getAll('start').at(-1) ?? '', end: query.getAll('end').at(-1) }
  const question = { scope, account, range }
  const isCsv = query.getAll('format').at(-1) === 'csv'
  const columns = Object.keys(view.record.shape)
  if (isCsv && !query.has('limit') && !query.has('offset'))
    return sendCsv(reply, columns, await view.everything(question))
  const { objects, total } = await view.page(question, slice)
  if (isCsv) return sendCsv(reply, columns, [objects])
  const own = `/api/v1/${path.replaceAll(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''))}`
  const about = {
    ...(account === '' ? {} : { account }),
    ...(scope.policyIdx === undefined ? {} : { policy_idx: scope.policyIdx }),
  }
  return { meta: { ...listMeta(own, rawQuery, slice, total), ...(total === 0 ? {} : about) }, objects }
}
