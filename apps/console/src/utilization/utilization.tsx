import './utilization.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { pathOf } from '../api/base.js'
import { accountUsage, policies, totalUsage } from '../api/queries/utilization.js'
import type { AccountUsageRow, UsageOf } from '../api/queries/utilization.js'
import { usePages } from '../api/use-pages.js'
import { bytes, count, percent } from '../format/numbers.js'
import { ListPage } from '../list/list-page.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Empty } from '../ui/empty.js'
import { ChartColumn } from '../ui/icons.js'
import { t } from '../words/text.js'
import { AccountUsage } from './account-usage.js'
import { usageColumns } from './columns.js'
import { monthBefore, periodOf, rangeOf, stepOf } from './period.js'
import { UsageCharts } from './usage-charts.js'

/** Who has stored and transferred how much in a period. All that it shows is in its address. */
export function Utilization() {
  return <ForCluster title={t('nav.utilization')}>{({ id }) => <OfCluster cluster={id} />}</ForCluster>
}

function OfCluster({ cluster }: { readonly cluster: number }) {
  const search = useSearch({ from: '/utilization' })
  const change = useSearchChange()
  const [now] = useState(Date.now)
  const { from, to } = periodOf(search, now)
  const policy = search.show === 'transfer' ? undefined : policyIn(search.policy)
  const usage = useMemo(
    (): UsageOf => ({ cluster, policy, ...rangeOf({ from, to }, now) }),
    [cluster, policy, from, to, now],
  )
  const pages = usePages(useMemo(() => accountUsage(usage), [usage]))
  const columns = useMemo(() => usageColumns(policy !== undefined), [policy])
  const onOpen = useCallback(({ account }: AccountUsageRow) => change({ account }), [change])
  return (
    <ListPage
      title={t('nav.utilization')}
      countOf={(count) => t('utilization.accounts', { count })}
      csv={
        <a className="btn" href={csvAddress(usage)} download>
          {t('ui.csv')}
        </a>
      }
      columns={columns}
      pages={pages}
      order="account"
      onOpen={onOpen}
      empty={<Empty icon={ChartColumn} title={t('utilization.none')} next={t('utilization.none.next')} />}
      detail={
        search.account !== undefined && (
          <AccountUsage usage={usage} account={search.account} onClose={() => change({ account: '' })} />
        )
      }
    >
      <div className="filters">
        <What cluster={cluster} policy={policy} onChange={change} />
        <PeriodChoice from={from} to={to} now={now} onChange={change} />
      </div>
      <Total usage={usage} />
      <UsageCharts usage={usage} by={stepOf({ from, to })} />
    </ListPage>
  )
}

/** Returns the index of a policy; that of the first one where the address names none. */
function policyIn(text = ''): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}

/** The server streams all rows; the browser sends the cookie of the session. */
function csvAddress({ cluster, policy, ...range }: UsageOf): string {
  const what = policy === undefined ? 'transfer' : `storage/${policy}`
  const query = new URLSearchParams({ ...range, format: 'csv' })
  return pathOf(`api/v1/clusters/${cluster}/utilization/${what}/?${query}`)
}

interface WhatProps {
  readonly cluster: number
  readonly policy: number | undefined
  readonly onChange: (change: { readonly show: string; readonly policy?: string }) => void
}

/** Storage by policy, or transfer. */
function What({ cluster, policy, onChange }: WhatProps) {
  const { data: known = [] } = useQuery(policies(cluster))
  return (
    <div className="filters" role="group" aria-label={t('utilization.what')}>
      {known.map(({ index, name }) => (
        <button
          key={index}
          type="button"
          className="btn s"
          aria-pressed={policy === index}
          onClick={() => onChange({ show: '', policy: String(index) })}
        >
          {t('utilization.storage', { policy: name })}
        </button>
      ))}
      <button
        type="button"
        className="btn s"
        aria-pressed={policy === undefined}
        onClick={() => onChange({ show: 'transfer' })}
      >
        {t('utilization.transfer')}
      </button>
    </div>
  )
}

interface PeriodChoiceProps {
  readonly from: string
  readonly to: string
  readonly now: number
  readonly onChange: (period: { readonly from?: string; readonly to?: string }) => void
}

function PeriodChoice({ from, to, now, onChange }: PeriodChoiceProps) {
  return (
    <>
      {([0, 1] as const).map((months) => {
        const month = monthBefore(months, now)
        return (
          <button
            key={months}
            type="button"
            className="btn s"
            aria-pressed={month.from === from && month.to === to}
            onClick={() => onChange(month)}
          >
            {t(`utilization.month.${months}`)}
          </button>
        )
      })}
      {(
        [
          ['from', from],
          ['to', to],
        ] as const
      ).map(([field, day]) => (
        <label key={field} className="choice">
          {t(`audit.filter.${field}`)}
          <input
            className="input"
            type="date"
            value={day}
            onChange={({ target }) => onChange({ [field]: target.value })}
          />
        </label>
      ))}
    </>
  )
}

/** All accounts together. */
function Total({ usage }: { readonly usage: UsageOf }) {
  const { data } = useQuery(totalUsage(usage))
  if (data === undefined || data === null) return null
  const facts =
    usage.policy === undefined
      ? [
          [t('utilization.bytes_in'), bytes(data.bytes_in)],
          [t('utilization.bytes_out'), bytes(data.bytes_out)],
          [t('utilization.req_count'), count(data.req_count)],
        ]
      : [
          [t('utilization.bytes_used'), bytes(data.bytes_used)],
          [t('utilization.object_count'), count(data.object_count)],
          [t('utilization.container_count'), count(data.container_count)],
        ]
  return (
    <dl className="usage-total num" aria-label={t('utilization.total')}>
      {[...facts, [t('utilization.complete'), percent(data.pct_complete)]].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
