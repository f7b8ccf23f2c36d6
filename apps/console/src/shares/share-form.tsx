import type { ReactNode } from 'react'
import type { NodeRecord } from '../api/queries/nodes.js'
import { FlagField, RadioField, SelectField, TextField } from '../form/fields.js'
import { FormBody } from '../form/form.js'
import type { Form } from '../form/use-form.js'
import { t } from '../words/text.js'
import { addressesIn } from './share-values.js'
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
        <TextField
          form={form}
          name="objectstore_container"
          label={t('shares.container')}
          help={t('shares.container.help')}
        />
        <SelectField
          form={form}
          name="node"
          label={t('shares.gateway')}
          help={gateways.length === 0 ? t('shares.noGateway') : undefined}
          options={gateways.map(({ id, hostname, state }) => [
            String(id),
            state === 'online' ? hostname : `${hostname} · ${state}`,
          ])}
          none={t('ui.choose')}
        />
        <RadioField
          form={form}
          name="access_mode"
          label={t('shares.access')}
          options={[
            ['rw', t('shares.access.rw')],
            ['ro', t('shares.access.ro')],
          ]}
        />
      </div>
      <Clients form={form} />
      {values.protocol === 'cifs' && <CifsLogin form={form} isNew={isNew} />}
      <FlagField form={form} name="enabled" label={t('shares.enabled')} help={t('shares.enabled.help')} />
      <details>
        <summary>{t('shares.more')}</summary>
        <div className="form-group">
          {values.protocol === 'nfs' ? <NfsSettings form={form} /> : <CifsSettings form={form} />}
          <FlagField form={form} name="no_apple_doubles" label={t('shares.noAppleDoubles')} />
          <FlagField form={form} name="write_retain" label={t('shares.writeRetain')} />
          <div className="form-pair">
            <TextField
              form={form}
              name="upload_delay"
              label={t('shares.uploadDelay')}
              help={t('shares.uploadDelay.help')}
            />
            <TextField
              form={form}
              name="cache_size_mb"
              label={t('shares.cacheSize')}
              help={t('shares.cacheSize.help')}
            />
          </div>
        </div>
      </details>
    </FormBody>
  )
}

type PartProps = Pick<ShareFormProps, 'form'>

function Clients({ form }: PartProps) {
  const list = form.values.clients_allowed_list.trim()
  const addresses = addressesIn(list)
  const help =
    list !== '' && addresses !== undefined ? t('shares.addresses', { count: addresses }) : t('shares.clients.help')
  return (
    <TextField
      form={form}
      name="clients_allowed_list"
      label={t('shares.clients')}
      help={help}
      warning={list === '' ? t('shares.clients.empty') : undefined}
      placeholder="10.20.0.0/16, @engineering"
      isCode
    />
  )
}

function CifsLogin({ form, isNew }: PartProps & { readonly isNew: boolean }) {
  const { cifs_guest_ok: guests, password } = form.values
  return (
    <div className="form-group">
      <FlagField form={form} name="cifs_guest_ok" label={t('shares.guests')} help={t('shares.guests.help')} />
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
      <FlagField form={form} name="root_squash" label={t('shares.rootSquash')} help={t('shares.rootSquash.help')} />
      <FlagField form={form} name="secure" label={t('shares.secure')} help={t('shares.secure.help')} />
    </>
  )
}

function CifsSettings({ form }: PartProps) {
  return (
    <>
      <FlagField form={form} name="cifs_browseable" label={t('shares.browseable')} />
      <div className="form-pair">
        <TextField
          form={form}
          name="cifs_valid_users"
          label={t('shares.validUsers')}
          help={t('shares.validUsers.help')}
        />
        <TextField form={form} name="cifs_valid_groups" label={t('shares.validGroups')} />
        <TextField
          form={form}
          name="cifs_create_mask"
          label={t('shares.createMask')}
          help={t('shares.mask.help')}
          isCode
        />
        <TextField
          form={form}
          name="cifs_directory_mask"
          label={t('shares.directoryMask')}
          help={t('shares.mask.help')}
          isCode
        />
      </div>
    </>
  )
}
