import { LinesField, RadioField, TextField } from '../../form/fields.js'
import type { Form } from '../../form/use-form.js'
import { t } from '../../words/text.js'
import type { LoginValues } from './login-values.js'

interface LoginFieldsProps {
  readonly form: Form<LoginValues>
  /** Those that this login has. */
  readonly shown: readonly string[]
}

const help = { user: 'logins.user.help', project: 'logins.project.help' } as const

/** With what one logs in, by password or by application credential. */
export function LoginFields({ form, shown }: LoginFieldsProps) {
  const credential = ['application_credential_id', 'application_credential_name'] as const
  const texts = [...credential, 'user', 'user_domain', 'project', 'project_domain'] as const
  const isOnlyUser = !shown.includes('by') && !shown.includes('project')
  return (
    <>
      {shown.includes('by') && (
        <RadioField
          form={form}
          name="by"
          label={t('logins.by')}
          options={(['password', 'credential'] as const).map((by) => [by, t(`logins.by.${by}`)])}
        />
      )}
      {texts
        .filter((name) => shown.includes(name))
        .map((name) => (
          <TextField
            key={name}
            form={form}
            name={name}
            label={t(`logins.${name}`)}
            help={name === 'user' && isOnlyUser ? t(help.user) : name === 'project' ? t(help.project) : undefined}
          />
        ))}
      <TextField form={form} name="key" type="password" label={t('logins.key')} help={t('logins.key.help')} />
      <LinesField form={form} name="ca" label={t('receivers.ca')} help={t('logins.ca.help')} />
    </>
  )
}
