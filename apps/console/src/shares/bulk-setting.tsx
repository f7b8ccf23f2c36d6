import type { GatewayShareChange } from '@roost/api-types/rest'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { NodeRecord } from '../api/queries/nodes.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { Dialog } from '../ui/dialog.js'
import { Field } from '../ui/field.js'
import { t } from '../words/text.js'
import { GatewayField } from './gateway-field.js'
import { SettingField, settingTexts } from './setting-field.js'
import { checkSetting, settingChange, settingsOf, valuesOf } from './share-values.js'
import type { SettingName, ShareValues } from './share-values.js'

interface BulkSettingProps {
  /** At least one. */
  readonly shares: readonly ShareRecord[]
  readonly names: ReactNode
  readonly gateways: readonly NodeRecord[]
  readonly title: string
  readonly onStart: (change: GatewayShareChange) => void
  readonly onClose: () => void
}

/** Asks which setting the shares get. It begins with the value of the first of them. */
export function BulkSetting({ shares, names, gateways, title, onStart, onClose }: BulkSettingProps) {
  const [first] = shares
  const [setting, setSetting] = useState<SettingName | 'node'>('access_mode')
  const form = useForm<ShareValues, GatewayShareChange>({
    initial: valuesOf(first as ShareRecord),
    check: (values) => checkSetting(values, setting),
    save: (values) => Promise.resolve(settingChange(values, setting)),
    onSaved: onStart,
  })
  const settings = settingsOf(new Set(shares.map(({ protocol }) => protocol)))
  const actions = (
    <DialogActions
      isBusy={form.isBusy}
      onCancel={onClose}
      submit={t('shares.bulk.change.action', { count: shares.length })}
    />
  )
  return (
    <Dialog open onClose={onClose} title={title}>
      <FormBody form={form} label={title} actions={actions}>
        {names}
        <Field label={t('shares.bulk.setting')}>
          <select
            className="input"
            value={setting}
            onChange={({ target }) => setSetting(target.value as typeof setting)}
          >
            {settings.map((name) => (
              <option key={name} value={name}>
                {t(settingTexts[name].label)}
              </option>
            ))}
            <option value="node">{t('shares.gateway')}</option>
          </select>
        </Field>
        {setting === 'node' ? (
          <GatewayField form={form} gateways={gateways} />
        ) : (
          <SettingField form={form} name={setting} />
        )}
        <p className="muted">{t('shares.bulk.change.effect')}</p>
      </FormBody>
    </Dialog>
  )
}
