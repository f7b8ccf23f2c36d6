import { Link } from '@tanstack/react-router'
import type { DeviceRecord } from '../api/queries/devices.js'
import { daysText } from '../capacity/full-text.js'
import { bytes, noValue, percent } from '../format/numbers.js'
import { State } from '../state/state.js'
import type { Column } from '../ui/data-table.js'
import { Meter } from '../ui/meter.js'
import { t } from '../words/text.js'

/** The columns of the list of devices. */
export function deviceColumns(): readonly Column<DeviceRecord>[] {
  return [
    {
      key: 'name',
      heading: t('devices.name'),
      sort: 'name',
      width: 100,
      cell: (device) => <DeviceLink device={device} />,
    },
    { key: 'node', heading: t('devices.node'), sort: 'node', width: 90, cell: ({ node }) => node.split('/').at(-2) },
    {
      key: 'status',
      heading: t('devices.status'),
      sort: 'status',
      width: 130,
      cell: ({ status }) => <State state={status} />,
    },
    { key: 'used', heading: t('devices.fullness'), width: 190, cell: (device) => <Used device={device} /> },
    {
      key: 'full',
      heading: t('devices.full'),
      sort: 'days_until_full',
      align: 'r',
      width: 130,
      cell: ({ days_until_full: days }) => daysText(days),
    },
    {
      key: 'size',
      heading: t('devices.size'),
      sort: 'size_bytes',
      first: 'descending',
      align: 'r',
      width: 100,
      cell: ({ raw_bytes: raw }) => bytes(raw),
    },
    {
      key: 'policies',
      heading: t('devices.policies'),
      width: 130,
      cell: ({ policies }) => policies.join(', ') || noValue,
    },
    { key: 'model', heading: t('devices.model'), cell: ({ model }) => model ?? noValue },
    {
      key: 'serial',
      heading: t('devices.serial'),
      sort: 'serial',
      width: 170,
      cell: ({ serial }) => <span className="mono">{serial ?? noValue}</span>,
    },
  ]
}

function DeviceLink({ device: { name, node } }: { readonly device: DeviceRecord }) {
  return (
    <Link to="/nodes/$id/{-$tab}" params={{ id: node.split('/').at(-2) ?? '', tab: 'devices' }}>
      {name}
    </Link>
  )
}

function Used({ device: { name, used_pct: pct } }: { readonly device: DeviceRecord }) {
  return (
    <span className="meter-cell num">
      <Meter slim pct={pct} label={t('devices.usedOf', { name, pct: percent(pct) })} />
      {percent(pct, 0)}
    </span>
  )
}
