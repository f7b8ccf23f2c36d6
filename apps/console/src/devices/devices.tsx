import './devices.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { deviceFacets, deviceList } from '../api/queries/devices.js'
import type { DeviceRecord } from '../api/queries/devices.js'
import type { Filters } from '../api/queries/filters.js'
import { usePages } from '../api/use-pages.js'
import { clearedFacets, FacetFilter, facetsIn } from '../list/facet-filter.js'
import { TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ViewsButton } from '../list/views-button.js'
import { ForCluster } from '../shell/for-cluster.js'
import { State } from '../state/state.js'
import { HardDrive } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { deviceColumns } from './columns.js'
import { FullnessMap } from './map.js'
import { ViewChoice } from './view-choice.js'

const columns = deviceColumns()
const facets = { choices: ['status', 'policy'] }
const states = ['ok', 'unmounted', 'missing', 'failed', 'unmanaged', 'retired'] as const

/** The devices of a cluster, as a table or as a map of how full they are. */
export function Devices() {
  const { view } = useSearch({ from: '/devices' })
  const navigate = useNavigate({ from: '/devices' })
  const isMap = view === 'map'
  const wasChosen = useRef(false)
  const show = (next: string | undefined) => {
    wasChosen.current = true
    void navigate({ search: ({ view: _view, ...rest }) => (next === undefined ? rest : { ...rest, view: next }) })
  }
  const choice = <ViewChoice isMap={isMap} wasChosen={wasChosen} onShow={show} />
  return (
    <ForCluster title={t('nav.devices')}>
      {({ id }) =>
        isMap ? (
          <Page
            title={t('nav.devices')}
            actions={
              <>
                <ViewsButton />
                {choice}
              </>
            }
          >
            <FullnessMap cluster={id} />
          </Page>
        ) : (
          <DeviceTable cluster={id} choice={choice} />
        )
      }
    </ForCluster>
  )
}

const statusText = (status: string) => <State state={status} />

interface DeviceTableProps {
  readonly cluster: number
  readonly choice: React.ReactNode
}

function DeviceTable({ cluster, choice }: DeviceTableProps) {
  const search = useSearch({ from: '/devices' })
  const { order = 'days_until_full' } = search
  const navigate = useNavigate({ from: '/devices' })
  const change = useSearchChange()
  const key = JSON.stringify({ cluster, ...facetsIn(search, facets), ...(search.q !== undefined && { q: search.q }) })
  const filters = useMemo(() => JSON.parse(key) as Filters, [key])
  const { data: counts } = useQuery(deviceFacets(filters))
  const pages = usePages<DeviceRecord>(useMemo(() => deviceList(filters, order), [filters, order]))
  const onOpen = ({ node }: DeviceRecord) =>
    void navigate({ to: '/nodes/$id/{-$tab}', params: { id: node.split('/').at(-2) ?? '', tab: 'devices' } })
  return (
    <ListPage
      title={t('nav.devices')}
      countOf={(count) => t('devices.inAll', { count })}
      actions={choice}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      empty={
        <NoRows
          icon={HardDrive}
          isFiltered={Object.keys(filters).length > 1}
          onClear={() => change({ ...clearedFacets(facets), q: '' })}
          title={t('devices.none')}
          next={t('devices.none.next')}
        />
      }
    >
      <div className="filters">
        <TextFilter
          label={t('devices.filter')}
          value={search.q}
          onFilter={(value) => change({ q: value }, { replace: true })}
        />
        <FacetFilter
          label={t('devices.status')}
          field="status"
          values={states}
          counts={counts?.status}
          search={search}
          textOf={statusText}
          hasAll
        />
        <FacetFilter
          label={t('devices.policies')}
          field="policy"
          values={Object.keys(counts?.policy ?? {})}
          counts={counts?.policy}
          search={search}
          textOf={(policy) => policy}
        />
      </div>
    </ListPage>
  )
}
