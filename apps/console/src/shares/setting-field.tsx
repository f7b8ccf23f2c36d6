import { FlagField, RadioField, TextField } from '../form/fields.js'
import type { Form } from '../form/use-form.js'
import type { PlainKey } from '../words/en.js'
import { t } from '../words/text.js'
import { addressesIn } from './share-values.js'
import type { SettingName, ShareValues } from './share-values.js'

interface SettingText {
  readonly label: PlainKey
  readonly help?: PlainKey
  readonly isCode?: boolean
}

/** THE LIST of settings of a share, by their names in the API. */
export const settingTexts: Readonly<Record<SettingName, SettingText>> = {
  access_mode: { label: 'shares.access' },
  clients_allowed_list: { label: 'shares.clients', help: 'shares.clients.help' },
  no_apple_doubles: { label: 'shares.noAppleDoubles' },
  write_retain: { label: 'shares.writeRetain' },
  upload_delay: { label: 'shares.uploadDelay', help: 'shares.uploadDelay.help' },
  cache_size_mb: { label: 'shares.cacheSize', help: 'shares.cacheSize.help' },
  root_squash: { label: 'shares.rootSquash', help: 'shares.rootSquash.help' },
  secure: { label: 'shares.secure', help: 'shares.secure.help' },
  cifs_guest_ok: { label: 'shares.guests', help: 'shares.guests.help' },
  cifs_browseable: { label: 'shares.browseable' },
  cifs_valid_users: { label: 'shares.validUsers', help: 'shares.validUsers.help' },
  cifs_valid_groups: { label: 'shares.validGroups' },
  cifs_create_mask: { label: 'shares.createMask', help: 'shares.mask.help', isCode: true },
  cifs_directory_mask: { label: 'shares.directoryMask', help: 'shares.mask.help', isCode: true },
}

type FlagName = { [N in SettingName]: ShareValues[N] extends boolean ? N : never }[SettingName]

interface SettingFieldProps {
  readonly form: Form<ShareValues>
  readonly name: SettingName
}

function isFlag(name: SettingName, values: ShareValues): name is FlagName {
  return typeof values[name] === 'boolean'
}

/** The field of one setting of a share. */
export function SettingField({ form, name }: SettingFieldProps) {
  if (name === 'access_mode') return <Access form={form} />
  if (name === 'clients_allowed_list') return <Clients form={form} />
  const { label, help, isCode = false } = settingTexts[name]
  const texts = { label: t(label), ...(help === undefined ? {} : { help: t(help) }) }
  if (isFlag(name, form.values)) return <FlagField form={form} name={name} {...texts} />
  return <TextField form={form} name={name} isCode={isCode} {...texts} />
}

type PartProps = Pick<SettingFieldProps, 'form'>

function Access({ form }: PartProps) {
  return (
    <RadioField
      form={form}
      name="access_mode"
      label={t('shares.access')}
      options={[
        ['rw', t('shares.access.rw')],
        ['ro', t('shares.access.ro')],
      ]}
    />
  )
}

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
