import './nodes.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import type { Filters } from '../api/queries/filters.js'
import { nodeList } from '../api/queries/nodes.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { usePages } from '../api/use-pages.js'
import { Action } from '../form/form.js'
import { clearedFacets, facetsIn } from '../list/facet-filter.js'
import { TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Empty } from '../ui/empty.js'
import { Server } from '../ui/icons.js'
import { t } from '../words/text.js'
import { AddNode } from './add-node.js'
import { nodeColumns } from './columns.js'
import { facets, NodeFilters } from './filters.js'

const columns = nodeColumns()

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
  const key = JSON.stringify({
    cluster,
    ...facetsIn(search, facets),
    ...(search.q !== undefined && { q: search.q }),
  })
  const filters = useMemo(() => JSON.parse(key) as Filters, [key])
  const pages = usePages(useMemo(() => nodeList(filters, order), [filters, order]))
  const onOpen = useCallback(
    ({ id }: NodeRecord) => void navigate({ to: '/nodes/$id/{-$tab}', params: { id: String(id), tab: undefined } }),
    [navigate],
  )
  const isFiltered = Object.keys(filters).length > 1
  return (
    <ListPage
      title={t('nodes.title')}
      countOf={(count) => t(isFiltered ? 'nodes.match' : 'nodes.inAll', { count })}
      actions={<AddNodeButton cluster={cluster} />}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      empty={
        <NoNodes
          cluster={cluster}
          isFiltered={isFiltered}
          onClear={() => change({ ...clearedFacets(facets), q: '' })}
        />
      }
    >
      <div className="filters">
        <TextFilter
          label={t('nodes.filter')}
          value={search.q}
          onFilter={(value) => change({ q: value }, { replace: true })}
        />
        <NodeFilters filters={filters} search={search} />
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
