import type { ReactNode } from 'react'
import { idIn } from '../api/uri.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { FlagField, RadioField, TextField } from '../form/fields.js'
import { FormBody } from '../form/form.js'
import type { Form } from '../form/use-form.js'
import { t } from '../words/text.js'
import { ContainerField } from './container-field.js'
import { GatewayField } from './gateway-field.js'
import { SettingField } from './setting-field.js'
import type { ShareValues } from './share-values.js'

interface ShareFormProps {
  readonly form: Form<ShareValues>
  readonly label: string
  readonly gateways: readonly NodeRecord[]
  readonly isNew: boolean
  readonly actions: ReactNode
}

/** All settings of a share, those that each share needs first. */
export function ShareForm({ form, label, gateways, isNew, actions }: ShareFormProps) {
  const { values } = form
  return (
    <FormBody form={form} label={label} actions={actions}>
      <RadioField
        form={form}
        name="protocol"
        label={t('shares.protocol')}
        options={[
          ['nfs', t('shares.protocol.nfs')],
          ['cifs', t('shares.protocol.cifs')],
        ]}
      />
      <div className="form-pair">
        <TextField form={form} name="name" label={t('shares.name')} help={t('shares.name.help')} />
        <ContainerField form={form} cluster={gateways[0] === undefined ? undefined : idIn(gateways[0].cluster)} />
        <GatewayField form={form} gateways={gateways} />
        <SettingField form={form} name="access_mode" />
      </div>
      <SettingField form={form} name="clients_allowed_list" />
      {values.protocol === 'cifs' && <CifsLogin form={form} isNew={isNew} />}
      <FlagField form={form} name="enabled" label={t('shares.enabled')} help={t('shares.enabled.help')} />
      <details>
        <summary>{t('shares.more')}</summary>
        <div className="form-group">
          {values.protocol === 'nfs' ? <NfsSettings form={form} /> : <CifsSettings form={form} />}
          <SettingField form={form} name="no_apple_doubles" />
          <SettingField form={form} name="write_retain" />
          <div className="form-pair">
            <SettingField form={form} name="upload_delay" />
            <SettingField form={form} name="cache_size_mb" />
          </div>
        </div>
      </details>
    </FormBody>
  )
}

type PartProps = Pick<ShareFormProps, 'form'>

function CifsLogin({ form, isNew }: PartProps & { readonly isNew: boolean }) {
  const { cifs_guest_ok: guests, password } = form.values
  return (
    <div className="form-group">
      <SettingField form={form} name="cifs_guest_ok" />
      <TextField
        form={form}
        name="password"
        type="password"
        label={t('shares.password')}
        help={t(isNew ? 'shares.password.help' : 'shares.password.keep')}
        warning={!guests && isNew && password === '' ? t('shares.password.none') : undefined}
      />
    </div>
  )
}

function NfsSettings({ form }: PartProps) {
  return (
    <>
      <SettingField form={form} name="root_squash" />
      <SettingField form={form} name="secure" />
    </>
  )
}

function CifsSettings({ form }: PartProps) {
  return (
    <>
      <SettingField form={form} name="cifs_browseable" />
      <div className="form-pair">
        <SettingField form={form} name="cifs_valid_users" />
        <SettingField form={form} name="cifs_valid_groups" />
        <SettingField form={form} name="cifs_create_mask" />
        <SettingField form={form} name="cifs_directory_mask" />
      </div>
    </>
  )
}
