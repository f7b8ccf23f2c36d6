import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { DeviceRecord } from '../api/queries/devices.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { Confirm } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

/** Forgets a device that its node does not have any more. */
export function ForgetDevice({ device: { id, name } }: { readonly device: DeviceRecord }) {
  const [isAsking, setAsking] = useState(false)
  const forget = useChange(
    'devices',
    () => rpc.devices.remove.mutate({ id }),
    () => toast(t('devices.forgotten', { name })),
  )
  return (
    <>
      <Action small onClick={() => setAsking(true)}>
        {t('devices.forget')}
      </Action>
      {isAsking && (
        <Confirm
          open
          onClose={() => setAsking(false)}
          onConfirm={() => forget.mutate(undefined)}
          title={t('devices.forget.title', { name })}
          action={t('devices.forget.action')}
          isBusy={forget.isPending}
        >
          <p>{t('devices.forget.effect')}</p>
        </Confirm>
      )}
    </>
  )
}
