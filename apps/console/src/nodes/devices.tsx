import { useQuery } from '@tanstack/react-query'
import { nodeDevices } from '../api/queries/node.js'
import type { DeviceRecord } from '../api/queries/devices.js'
import { daysText } from '../capacity/full-text.js'
import { bytes, noValue, percent } from '../format/numbers.js'
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
export function NodeDevices({ id }: { readonly id: number }) {
  const query = useQuery(nodeDevices(id))
  return <Loaded query={query}>{({ objects }) => <DeviceTable devices={objects} />}</Loaded>
}

function DeviceTable({ devices }: { readonly devices: readonly DeviceRecord[] }) {
  if (devices.length === 0)
    return (
      <section className="card">
        <Empty icon={HardDrive} title={t('node.noDevices')}>
          <p>{t('node.noDevices.next')}</p>
        </Empty>
      </section>
    )
  return (
    <section className="card table-scroll" tabIndex={0} aria-label={t('nav.devices')}>
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">{t('devices.name')}</th>
            <th scope="col">{t('devices.status')}</th>
            <th scope="col">{t('devices.fullness')}</th>
            <th scope="col" className="r">
              {t('devices.size')}
            </th>
            <th scope="col">{t('devices.full')}</th>
            <th scope="col">{t('devices.policies')}</th>
            <th scope="col">{t('devices.model')}</th>
            <th scope="col">{t('devices.serial')}</th>
            <th scope="col">{t('devices.mount')}</th>
            <th scope="col">
              <span className="sr">{t('job.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {devices.map((device) => (
            <DeviceLine key={device.id} device={device} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function DeviceLine({ device }: { readonly device: DeviceRecord }) {
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
      <td>{goneStates.includes(device.status) && <ForgetDevice device={device} />}</td>
    </tr>
  )
}
