import './shares.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { gateways } from '../api/queries/gateways.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { shareList } from '../api/queries/shares.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { useMayChange } from '../api/session-context.js'
import { usePages } from '../api/use-pages.js'
import { useSelection } from '../bulk/use-selection.js'
import { ChoiceFilter, TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Share2 } from '../ui/icons.js'
import { t } from '../words/text.js'
import { BulkActions } from './bulk-actions.js'
import { shareColumns } from './columns.js'

/** The list of shares. All that it shows is in its address. */
export function Shares() {
  return <ForCluster title={t('nav.shares')}>{(cluster) => <SharesOf cluster={cluster} />}</ForCluster>
}

const nameOf = ({ name }: ShareRecord) => name

function SharesOf({ cluster: { id: cluster, resource_uri: uri } }: { readonly cluster: ClusterRecord }) {
  const search = useSearch({ from: '/shares' })
  const navigate = useNavigate({ from: '/shares' })
  const filter = useSearchChange()
  const { data: nodes = [] } = useQuery(gateways(cluster))
  const order = search.order ?? 'name'
  const { q, protocol, enabled, node } = search
  const filters = useMemo(
    () => ({
      cluster,
      ...(q === undefined ? {} : { name: q }),
      ...(protocol === undefined ? {} : { protocol }),
      ...(enabled === undefined ? {} : { enabled: enabled === 'yes' }),
      ...(node === undefined ? {} : { node: Number(node) }),
    }),
    [cluster, q, protocol, enabled, node],
  )
  const pages = usePages(useMemo(() => shareList(filters, order), [filters, order]))
  const columns = useMemo(() => shareColumns(nodes), [nodes])
  const selection = useSelection(filters, pages.source.read)
  const mayChange = useMayChange()
  const onOpen = useCallback(
    ({ id }: ShareRecord) => void navigate({ to: '/shares/$id', params: { id: String(id) } }),
    [navigate],
  )
  const isFiltered = [q, protocol, enabled, node].some((value) => value !== undefined)
  return (
    <ListPage
      title={t('nav.shares')}
      countOf={(count) => t('shares.count', { count })}
      actions={<NewShare />}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      selection={mayChange ? { ...selection, nameOf } : undefined}
      empty={
        <NoRows
          icon={Share2}
          isFiltered={isFiltered}
          onClear={() => filter({ q: '', protocol: '', enabled: '', node: '' })}
          title={t('shares.none')}
          next={t('shares.none.next')}
        >
          <NewShare />
        </NoRows>
      }
    >
      <div className="filters">
        <TextFilter label={t('shares.filter')} value={q} onFilter={(value) => filter({ q: value })} />
        <ChoiceFilter
          label={t('shares.protocol')}
          choices={[
            ['nfs', 'NFS'],
            ['cifs', 'SMB'],
          ]}
          chosen={protocol}
          onChoose={(value) => filter({ protocol: value })}
        />
        <ChoiceFilter
          label={t('shares.state')}
          choices={[
            ['yes', t('ui.enabled')],
            ['no', t('ui.disabled')],
          ]}
          chosen={enabled}
          onChoose={(value) => filter({ enabled: value })}
        />
        <GatewayFilter nodes={nodes} chosen={node} onChoose={(value) => filter({ node: value })} />
      </div>
      <BulkActions cluster={uri} gateways={nodes} selection={selection} total={pages.total} />
    </ListPage>
  )
}

interface GatewayFilterProps {
  readonly nodes: readonly NodeRecord[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

function GatewayFilter({ nodes, chosen = '', onChoose }: GatewayFilterProps) {
  return (
    <select
      className="input"
      aria-label={t('shares.gateway')}
      value={chosen}
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="">{t('shares.everyGateway')}</option>
      {nodes.map(({ id, hostname }) => (
        <option key={id} value={id}>
          {hostname}
        </option>
      ))}
    </select>
  )
}

function NewShare() {
  return (
    <Link to="/shares/new" className="btn primary">
      {t('shares.new')}
    </Link>
  )
}
