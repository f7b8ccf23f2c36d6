import './deployments.css'
import { useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { errorText } from '../api/error-text.js'
import { deploymentKinds, jobs, readJobs } from '../api/queries/deployments.js'
import type { DeploymentKind, JobRecord } from '../api/queries/deployments.js'
import type { ListSource } from '../api/use-pages.js'
import { noValue } from '../format/numbers.js'
import { ExportRows } from '../list/export.js'
import { ChoiceFilter } from '../list/filters.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Age } from '../ui/age.js'
import { DataTable } from '../ui/data-table.js'
import type { Column } from '../ui/data-table.js'
import { Failed } from '../ui/empty.js'
import { Rocket } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { JobState } from './job-state.js'
import { Pending } from './pending.js'
import { tookOf } from './took.js'
import { useNames } from './use-names.js'

type Row = JobRecord & { readonly kind: DeploymentKind }

/** The newest of each kind; the button below reads more. */
const step = 200
const most = 1000
const states: Readonly<Record<string, readonly string[]>> = {
  running: ['NEW', 'QUEUED', 'IN_PROGRESS'],
  succeeded: ['COMPLETED_SUCCESS'],
  failed: ['COMPLETED_FAILED'],
}

/** Returns the jobs of the kinds in the address, the newest first, and what reads all of them. */
function useRows(cluster: number, limit: number) {
  const { kind, state, plans } = useSearch({ from: '/deployments' })
  const kinds = deploymentKinds.filter((each) => kind === undefined || each === kind)
  const filters = {
    cluster,
    ...(state === undefined ? {} : { state: [...(states[state] ?? [])] }),
  }
  const found = useQueries({ queries: kinds.map((each) => jobs(each, filters, limit)) })
  const arrange = <R extends JobRecord>(list: readonly R[]) =>
    list
      .filter(({ dry_run: isPlan }) => plans === 'yes' || !isPlan)
      .toSorted((one, other) => Number(other.id) - Number(one.id))
  const rows = arrange(found.flatMap(({ data }, i) => withKind(kinds[i] ?? 'shares', data?.objects ?? [])))
  const hasMore = found.some(({ data }) => data !== undefined && data.total > data.objects.length) && limit < most
  const reads = kinds.map((each): ListSource<Row>['read'] => async (slice, signal) => {
    const { objects, total } = await readJobs(each, filters, slice, signal)
    return { objects: withKind(each, objects), total }
  })
  return { found, rows, hasMore, file: { reads, arrange } }
}

function withKind(kind: DeploymentKind, list: readonly JobRecord[]): readonly Row[] {
  return list.map((job) => ({ kind, ...job }))
}

/** The deployments of both kinds, those that run among them. */
export function Deployments() {
  return <ForCluster title={t('nav.deployments')}>{({ id }) => <DeploymentsOf cluster={id} />}</ForCluster>
}

function DeploymentsOf({ cluster }: { readonly cluster: number }) {
  const { kind, state } = useSearch({ from: '/deployments' })
  const navigate = useNavigate({ from: '/deployments' })
  const filter = useSearchChange()
  const [limit, setLimit] = useState(step)
  const { found, rows, hasMore, file } = useRows(cluster, limit)
  const names = useNames()
  const columns = useMemo(() => columnsOf(names), [names])
  const error = found.find((each) => each.error !== null)?.error
  return (
    <Page
      title={t('nav.deployments')}
      state={<span role="status">{t('deploy.count', { count: rows.length })}</span>}
      actions={
        <>
          <ExportRows name="deployments" {...file} />
          <Link to="/deployments/new" className="btn primary">
            {t('deploy.new')}
          </Link>
        </>
      }
      fills
    >
      <Pending cluster={cluster} />
      <Filters hasMore={hasMore} onMore={() => setLimit(most)} filter={filter} />
      {error == null ? (
        <DataTable
          label={t('nav.deployments')}
          columns={columns}
          total={rows.length}
          rowAt={(index) => rows[index]}
          onRange={noRange}
          onOpen={({ kind, id }) => void navigate({ to: '/deployments/$kind/$id', params: { kind, id } })}
          order="-id"
          onOrder={noRange}
          empty={
            found.some(({ isPending }) => isPending) ? null : (
              <NoRows
                icon={Rocket}
                isFiltered={kind !== undefined || state !== undefined}
                onClear={() => filter({ kind: '', state: '' })}
                title={t('deploy.none')}
                next={t('deploy.none.next')}
              />
            )
          }
        />
      ) : (
        <Failed message={errorText(error)} onRetry={() => found.forEach((each) => void each.refetch())} />
      )}
    </Page>
  )
}

interface FiltersProps {
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly filter: (change: Readonly<Record<string, string>>) => void
}

function Filters({ hasMore, onMore, filter }: FiltersProps) {
  const { kind, state, plans } = useSearch({ from: '/deployments' })
  return (
    <div className="filters">
      <ChoiceFilter
        label={t('deploy.kind')}
        choices={deploymentKinds.map((each) => [each, t(`deploy.kind.${each}`)])}
        chosen={kind}
        onChoose={(value) => filter({ kind: value })}
      />
      <ChoiceFilter
        label={t('nodes.state')}
        choices={Object.keys(states).map((each) => [each, t(`deploy.filter.${each as 'running'}`)])}
        chosen={state}
        onChoose={(value) => filter({ state: value })}
      />
      <label className="choice">
        <input
          type="checkbox"
          checked={plans === 'yes'}
          onChange={({ target }) => filter({ plans: target.checked ? 'yes' : '' })}
        />
        {t('deploy.withPlans')}
      </label>
      {hasMore && (
        <button type="button" className="btn s" onClick={onMore}>
          {t('deploy.older')}
        </button>
      )}
    </div>
  )
}

/** All rows are read at once, in one order. */
function noRange(): void {}

function columnsOf(names: ReturnType<typeof useNames>): readonly Column<Row>[] {
  return [
    {
      key: 'id',
      heading: t('deploy.number'),
      width: 90,
      cell: ({ kind, id }) => (
        <Link to="/deployments/$kind/$id" params={{ kind, id }}>
          {id}
        </Link>
      ),
    },
    {
      key: 'kind',
      heading: t('deploy.kind'),
      width: 150,
      cell: ({ kind, dry_run: isPlan }) => (
        <>
          {t(`deploy.kind.${kind}`)} {isPlan && <Tag>{t('deploy.isPlan')}</Tag>}
        </>
      ),
    },
    {
      key: 'target',
      heading: t('deploy.target'),
      width: 190,
      cell: (job) => (job.node === null ? names.cluster(job.cluster ?? '') : names.node(job.node)),
    },
    { key: 'state', heading: t('nodes.state'), width: 190, cell: (job) => <JobState job={job} /> },
    { key: 'progress', heading: t('job.done'), width: 90, align: 'r', cell: (job) => `${job.progress} %` },
    { key: 'created', heading: t('job.created'), width: 130, cell: (job) => <Age at={job.created} /> },
    { key: 'took', heading: t('job.took'), width: 90, cell: (job) => tookOf(job) },
    { key: 'message', heading: t('job.message'), cell: (job) => job.message || noValue },
  ]
}
