import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nodeDevices, readDevicesOf } from '../api/queries/node.js'
import type { DeviceRecord } from '../api/queries/devices.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { idIn } from '../api/uri.js'
import { daysText } from '../capacity/full-text.js'
import { bytes, noValue, percent } from '../format/numbers.js'
import { ExportRows } from '../list/export.js'
import { PlainTable } from '../list/plain-table.js'
import { Loaded } from '../state/loaded.js'
import { State } from '../state/state.js'
import { Empty } from '../ui/empty.js'
import { HardDrive } from '../ui/icons.js'
import { Meter } from '../ui/meter.js'
import { t } from '../words/text.js'
import { ForgetDevice } from './forget-device.js'

/** The API forgets devices in these states, and no others. */
const goneStates: readonly DeviceRecord['status'][] = ['retired', 'missing']

/** The devices of a node. */
export function NodeDevices({ node: { id, hostname } }: { readonly node: NodeRecord }) {
  const query = useQuery(nodeDevices(id))
  return (
    <>
      <div className="form-actions">
        <ExportRows name={`devices-of-${hostname}`} reads={[readDevicesOf(id)]} />
      </div>
      <Loaded query={query}>{({ objects }) => <DeviceTable devices={objects} hostname={hostname} />}</Loaded>
    </>
  )
}

interface DeviceTableProps {
  readonly devices: readonly DeviceRecord[]
  /** Of their node. */
  readonly hostname: string
}

function DeviceTable({ devices, hostname }: DeviceTableProps) {
  if (devices.length === 0)
    return (
      <section className="card">
        <Empty icon={HardDrive} title={t('node.noDevices')} next={t('node.noDevices.next')} />
      </section>
    )
  return (
    <PlainTable
      label={t('nav.devices')}
      headings={[
        t('devices.name'),
        t('devices.status'),
        t('devices.fullness'),
        { text: t('devices.size'), className: 'r' },
        t('devices.full'),
        t('devices.policies'),
        t('devices.model'),
        t('devices.serial'),
        t('devices.mount'),
        { text: t('job.actions'), isHidden: true },
      ]}
    >
      {devices.map((device) => (
        <DeviceLine key={device.id} device={device} hostname={hostname} />
      ))}
    </PlainTable>
  )
}

function DeviceLine({ device, hostname }: { readonly device: DeviceRecord; readonly hostname: string }) {
  const silence = {
    cluster: String(idIn(device.cluster)),
    add: 'yes',
    node: hostname,
    node_id: String(idIn(device.node)),
    device: String(device.id),
  }
  return (
    <tr>
      <th scope="row">
        <b>{device.name}</b>
      </th>
      <td>
        <State state={device.status} />
      </td>
      <td>
        <span className="meter-cell num">
          <Meter
            slim
            pct={device.used_pct}
            label={t('devices.usedOf', { name: device.name, pct: percent(device.used_pct) })}
          />
          {percent(device.used_pct, 0)}
        </span>
      </td>
      <td className="r">{bytes(device.raw_bytes)}</td>
      <td>{daysText(device.days_until_full)}</td>
      <td>{device.policies.join(', ') || noValue}</td>
      <td>{device.model ?? noValue}</td>
      <td className="mono">{device.serial ?? noValue}</td>
      <td className="mono">{device.mount_point ?? noValue}</td>
      <td>
        <div className="row-actions">
          <Link className="btn s" to="/alerts/silences" search={silence}>
            {t('silences.ofDevice')}
          </Link>
          {goneStates.includes(device.status) && <ForgetDevice device={device} />}
        </div>
      </td>
    </tr>
  )
}
