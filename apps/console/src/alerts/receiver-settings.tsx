import { LinesField, SelectField, TextField } from '../form/fields.js'
import type { Form } from '../form/use-form.js'
import { t } from '../words/text.js'
import type { ReceiverValues } from './receiver-values.js'

interface SettingsProps {
  readonly form: Form<ReceiverValues>
}

/** The fields of the chosen kind. */
export function ReceiverSettings({ form }: SettingsProps) {
  if (form.values.kind === 'email') return <MailSettings form={form} />
  return (
    <>
      {form.values.kind === 'webhook' ? (
        <TextField form={form} name="url" label={t('receivers.url')} help={t('receivers.url.help')} isCode />
      ) : (
        <LinesField form={form} name="urls" label={t('receivers.urls')} help={t('receivers.urls.help')} />
      )}
      <TextField
        form={form}
        name="authorization"
        type="password"
        label={t('receivers.authorization')}
        help={t('receivers.authorization.help')}
      />
      <LinesField form={form} name="ca" label={t('receivers.ca')} help={t('receivers.ca.help')} />
    </>
  )
}

function MailSettings({ form }: SettingsProps) {
  return (
    <>
      <div className="form-pair">
        <TextField form={form} name="host" label={t('receivers.host')} isCode />
        <TextField form={form} name="port" type="number" label={t('receivers.port')} />
      </div>
      <SelectField
        form={form}
        name="security"
        label={t('receivers.security')}
        options={[
          ['starttls', 'STARTTLS'],
          ['tls', 'TLS'],
          ['none', t('receivers.security.none')],
        ]}
      />
      <div className="form-pair">
        <TextField form={form} name="user" label={t('receivers.user')} help={t('receivers.user.help')} />
        <TextField form={form} name="password" type="password" label={t('receivers.password')} />
      </div>
      <TextField form={form} name="from" label={t('receivers.from')} />
      <LinesField form={form} name="to" label={t('receivers.to')} help={t('receivers.to.help')} />
      <LinesField form={form} name="ca" label={t('receivers.ca')} help={t('receivers.ca.help')} />
    </>
  )
}
