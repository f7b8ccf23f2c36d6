import './nodes.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Fragment, useCallback, useMemo, useState } from 'react'
import { summary } from '../api/queries/clusters.js'
import { nodeList } from '../api/queries/nodes.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { usePages } from '../api/use-pages.js'
import { count } from '../format/numbers.js'
import { Action } from '../form/form.js'
import { ChoiceFilter, TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import { State } from '../state/state.js'
import { Empty } from '../ui/empty.js'
import { Server } from '../ui/icons.js'
import { t } from '../words/text.js'
import { AddNode } from './add-node.js'
import { nodeColumns } from './columns.js'

const columns = nodeColumns()
const states = ['online', 'stale', 'offline', 'needs_upgrade', 'duplicate', 'pending'] as const

/** The list of nodes. All that it shows is in its address. */
export function Nodes() {
  return <ForCluster title={t('nodes.title')}>{({ id }) => <NodesOf cluster={id} />}</ForCluster>
}

interface OfCluster {
  readonly cluster: number
}

function NodesOf({ cluster }: OfCluster) {
  const search = useSearch({ from: '/nodes' })
  const navigate = useNavigate({ from: '/nodes' })
  const change = useSearchChange()
  const order = search.order ?? 'hostname'
  const filters = useMemo(
    () => ({
      cluster,
      ...(search.state === undefined ? {} : { state: search.state.split(',') }),
      ...(search.q === undefined ? {} : { hostname: search.q }),
    }),
    [cluster, search.state, search.q],
  )
  const pages = usePages(useMemo(() => nodeList(filters, order), [filters, order]))
  const onOpen = useCallback(
    ({ id }: NodeRecord) => void navigate({ to: '/nodes/$id/{-$tab}', params: { id: String(id), tab: undefined } }),
    [navigate],
  )
  const isFiltered = search.state !== undefined || search.q !== undefined
  return (
    <ListPage
      title={t('nodes.title')}
      countOf={(count) => t(isFiltered ? 'nodes.match' : 'nodes.inAll', { count })}
      actions={<AddNodeButton cluster={cluster} />}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      empty={<NoNodes cluster={cluster} isFiltered={isFiltered} onClear={() => change({ state: '', q: '' })} />}
    >
      <div className="filters">
        <TextFilter
          label={t('nodes.filter')}
          value={search.q}
          onFilter={(value) => change({ q: value }, { replace: true })}
        />
        <StateFilter cluster={cluster} chosen={search.state} onChoose={(value) => change({ state: value })} />
      </div>
    </ListPage>
  )
}

interface NoNodesProps extends OfCluster {
  readonly isFiltered: boolean
  readonly onClear: () => void
}

function NoNodes({ cluster, isFiltered, onClear }: NoNodesProps) {
  if (!isFiltered)
    return (
      <Empty icon={Server} title={t('nodes.none')} next={t('nodes.none.next')}>
        <AddNodeButton cluster={cluster} />
      </Empty>
    )
  return (
    <Empty icon={Server} title={t('nodes.noMatch')} next={t('nodes.noMatch.next')}>
      <button type="button" className="btn s" onClick={onClear}>
        {t('nodes.clear')}
      </button>
    </Empty>
  )
}

function AddNodeButton({ cluster }: OfCluster) {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Action kind="primary" onClick={() => setAdding(true)}>
        {t('addNode.title')}
      </Action>
      {isAdding && <AddNode cluster={cluster} onClose={() => setAdding(false)} />}
    </>
  )
}

interface StateFilterProps extends OfCluster {
  readonly chosen: string | undefined
  readonly onChoose: (state: string) => void
}

/** One button for each state that a node has now. */
function StateFilter({ cluster, chosen, onChoose }: StateFilterProps) {
  const { data } = useQuery(summary(cluster))
  const totalOf = (state: (typeof states)[number]) => data?.nodes.states[state] ?? 0
  return (
    <ChoiceFilter
      label={t('nodes.state')}
      choices={states
        .filter((each) => totalOf(each) > 0 || each === chosen)
        .map((each) => [
          each,
          <Fragment key={each}>
            <State state={each} /> <span className="chip-count num">{count(totalOf(each))}</span>
          </Fragment>,
        ])}
      chosen={chosen}
      onChoose={onChoose}
    />
  )
}
