import './devices.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { errorText } from '../api/error-text.js'
import { deviceList } from '../api/queries/devices.js'
import type { DeviceRecord } from '../api/queries/devices.js'
import { usePages } from '../api/use-pages.js'
import { useClusters } from '../shell/use-cluster.js'
import { State } from '../state/state.js'
import { DataTable } from '../ui/data-table.js'
import { Empty, Failed } from '../ui/empty.js'
import { HardDrive } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { deviceColumns } from './columns.js'
import { FullnessMap } from './map.js'

const columns = deviceColumns()
const states = ['ok', 'unmounted', 'missing', 'failed', 'unmanaged', 'retired'] as const

/** The devices of a cluster, as a table or as a map of how full they are. */
export function Devices() {
  const { view } = useSearch({ from: '/devices' })
  const navigate = useNavigate({ from: '/devices' })
  const { chosen } = useClusters()
  const isMap = view === 'map'
  const show = (next: string | undefined) =>
    void navigate({ search: ({ view: _view, ...rest }) => (next === undefined ? rest : { ...rest, view: next }) })
  const choice = (
    <div className="seg" role="group" aria-label={t('devices.view')}>
      <button type="button" aria-pressed={!isMap} onClick={() => show(undefined)}>
        {t('devices.table')}
      </button>
      <button type="button" aria-pressed={isMap} onClick={() => show('map')}>
        {t('devices.map')}
      </button>
    </div>
  )
  if (chosen === undefined || !isMap) return <DeviceTable cluster={chosen?.id} choice={choice} />
  return (
    <Page title={t('nav.devices')} actions={choice}>
      <FullnessMap cluster={chosen.id} />
    </Page>
  )
}

interface DeviceTableProps {
  readonly cluster: number | undefined
  readonly choice: React.ReactNode
}

function DeviceTable({ cluster, choice }: DeviceTableProps) {
  const { status, order = 'days_until_full' } = useSearch({ from: '/devices' })
  const navigate = useNavigate({ from: '/devices' })
  const filters = useMemo(
    () => ({
      ...(cluster === undefined ? {} : { cluster }),
      ...(status === undefined ? {} : { status: status.split(',') }),
    }),
    [cluster, status],
  )
  const pages = usePages<DeviceRecord>(useMemo(() => deviceList(filters, order), [filters, order]))
  const onOpen = ({ node }: DeviceRecord) =>
    void navigate({ to: '/nodes/$id/{-$tab}', params: { id: node.split('/').at(-2) ?? '', tab: 'devices' } })
  const total = pages.isPending ? t('ui.loading') : t('devices.inAll', { count: pages.total })
  return (
    <Page title={t('nav.devices')} state={<span role="status">{total}</span>} actions={choice} fills>
      <StatusFilter status={status} />
      {pages.error === null ? (
        <DataTable
          label={t('nav.devices')}
          columns={columns}
          total={pages.total}
          rowAt={pages.rowAt}
          onRange={pages.onRange}
          onOpen={onOpen}
          order={order}
          onOrder={(next) => void navigate({ search: (old) => ({ ...old, order: next }), replace: true })}
          empty={pages.isPending ? null : <NoDevices />}
        />
      ) : (
        <Failed message={errorText(pages.error)} onRetry={pages.refetch} />
      )}
    </Page>
  )
}

function NoDevices() {
  return (
    <Empty icon={HardDrive} title={t('devices.none')}>
      <p>{t('devices.none.next')}</p>
    </Empty>
  )
}

function StatusFilter({ status }: { readonly status: string | undefined }) {
  const navigate = useNavigate({ from: '/devices' })
  const choose = (next: string | undefined) =>
    void navigate({ search: ({ status: _status, ...rest }) => (next === undefined ? rest : { ...rest, status: next }) })
  return (
    <div className="filters" role="group" aria-label={t('devices.status')}>
      <button type="button" className="btn s" aria-pressed={status === undefined} onClick={() => choose(undefined)}>
        {t('ui.all')}
      </button>
      {states.map((each) => (
        <button
          key={each}
          type="button"
          className="btn s"
          aria-pressed={status === each}
          onClick={() => choose(status === each ? undefined : each)}
        >
          <State state={each} />
        </button>
      ))}
    </div>
  )
}
