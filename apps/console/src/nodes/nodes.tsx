import './nodes.css'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Server } from '../ui/icons.js'
import { useCallback, useMemo, useState } from 'react'
import { errorText } from '../api/error-text.js'
import { summary } from '../api/queries/clusters.js'
import { nodeList } from '../api/queries/nodes.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { usePages } from '../api/use-pages.js'
import { count } from '../format/numbers.js'
import { Action } from '../form/form.js'
import { useClusters } from '../shell/use-cluster.js'
import { State } from '../state/state.js'
import { DataTable } from '../ui/data-table.js'
import { Empty, Failed } from '../ui/empty.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { AddNode } from './add-node.js'
import { nodeColumns } from './columns.js'

const columns = nodeColumns()
const states = ['online', 'stale', 'offline', 'needs_upgrade', 'duplicate', 'pending'] as const

/** The list of nodes. All that it shows is in its address. */
export function Nodes() {
  const search = useSearch({ from: '/nodes' })
  const navigate = useNavigate({ from: '/nodes' })
  const { chosen } = useClusters()
  const order = search.order ?? 'hostname'
  const filters = useMemo(
    () => ({
      ...(chosen === undefined ? {} : { cluster: chosen.id }),
      ...(search.state === undefined ? {} : { state: search.state.split(',') }),
      ...(search.q === undefined ? {} : { hostname: search.q }),
    }),
    [chosen, search.state, search.q],
  )
  const pages = usePages(useMemo(() => nodeList(filters, order), [filters, order]))
  const onOpen = useCallback(
    ({ id }: NodeRecord) => void navigate({ to: '/nodes/$id/{-$tab}', params: { id: String(id), tab: undefined } }),
    [navigate],
  )
  const isFiltered = search.state !== undefined || search.q !== undefined
  const clear = () => void navigate({ search: ({ state: _state, q: _q, ...rest }) => rest })
  const total = pages.isPending
    ? t('ui.loading')
    : t(isFiltered ? 'nodes.match' : 'nodes.inAll', { count: pages.total })
  return (
    <Page title={t('nodes.title')} state={<span role="status">{total}</span>} actions={<AddNodeButton />} fills>
      <div className="filters">
        <HostFilter />
        <StateFilter />
      </div>
      {pages.error === null ? (
        <DataTable
          label={t('nodes.title')}
          columns={columns}
          total={pages.total}
          rowAt={pages.rowAt}
          onRange={pages.onRange}
          onOpen={onOpen}
          order={order}
          onOrder={(next) => void navigate({ search: (old) => ({ ...old, order: next }), replace: true })}
          empty={pages.isPending ? null : <NoNodes isFiltered={isFiltered} onClear={clear} />}
        />
      ) : (
        <Failed message={errorText(pages.error)} onRetry={pages.refetch} />
      )}
    </Page>
  )
}

function NoNodes({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (!isFiltered)
    return (
      <Empty icon={Server} title={t('nodes.none')}>
        <p>{t('nodes.none.next')}</p>
        <AddNodeButton />
      </Empty>
    )
  return (
    <Empty icon={Server} title={t('nodes.noMatch')}>
      <p>{t('nodes.noMatch.next')}</p>
      <button type="button" className="btn s" onClick={onClear}>
        {t('nodes.clear')}
      </button>
    </Empty>
  )
}

function AddNodeButton() {
  const { chosen } = useClusters()
  const [isAdding, setAdding] = useState(false)
  if (chosen === undefined) return null
  return (
    <>
      <Action kind="primary" onClick={() => setAdding(true)}>
        {t('addNode.title')}
      </Action>
      {isAdding && <AddNode cluster={chosen.id} onClose={() => setAdding(false)} />}
    </>
  )
}

function HostFilter() {
  const { q } = useSearch({ from: '/nodes' })
  const navigate = useNavigate({ from: '/nodes' })
  const filter = (text: string) => void navigate({ search: (old) => ({ ...old, q: text.trim() }), replace: true })
  return (
    <input
      key={q ?? ''}
      className="input"
      type="search"
      placeholder={t('nodes.filter')}
      aria-label={t('nodes.filter')}
      defaultValue={q ?? ''}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && filter(currentTarget.value)}
      onBlur={({ target }) => target.value !== (q ?? '') && filter(target.value)}
    />
  )
}

/** One button for each state that a node has now. */
function StateFilter() {
  const { state } = useSearch({ from: '/nodes' })
  const navigate = useNavigate({ from: '/nodes' })
  const { chosen } = useClusters()
  const query = summary(chosen?.id ?? 0)
  const { data } = useQuery(chosen === undefined ? { ...query, queryFn: skipToken } : query)
  const choose = (next: string | undefined) =>
    void navigate({ search: ({ state: _state, ...rest }) => (next === undefined ? rest : { ...rest, state: next }) })
  return (
    <div className="filters" role="group" aria-label={t('nodes.state')}>
      <button type="button" className="btn s" aria-pressed={state === undefined} onClick={() => choose(undefined)}>
        {t('ui.all')}
      </button>
      {states.map((each) => {
        const total = data?.nodes.states[each] ?? 0
        if (total === 0 && each !== state) return null
        return (
          <button
            key={each}
            type="button"
            className="btn s"
            aria-pressed={state === each}
            onClick={() => choose(state === each ? undefined : each)}
          >
            <State state={each} /> <span className="chip-count num">{count(total)}</span>
          </button>
        )
      })}
    </div>
  )
}
