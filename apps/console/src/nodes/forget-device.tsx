import { rpc } from '../api/client.js'
import type { DeviceRecord } from '../api/queries/devices.js'
import { RemoveAction } from '../form/remove-action.js'
import { t } from '../words/text.js'

/** Forgets a device that its node does not have any more. */
export function ForgetDevice({ device: { id, name } }: { readonly device: DeviceRecord }) {
  return (
    <RemoveAction
      topic="devices"
      remove={() => rpc.devices.remove.mutate({ id })}
      label={t('devices.forget')}
      title={t('devices.forget.title', { name })}
      action={t('devices.forget.action')}
      effect={t('devices.forget.effect')}
      done={t('devices.forgotten', { name })}
    />
  )
}
