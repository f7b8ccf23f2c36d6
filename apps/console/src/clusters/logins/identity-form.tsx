import type { ClusterIdentity } from '@roost/api-types/rest'
import { rpc } from '../../api/client.js'
import { TextField } from '../../form/fields.js'
import { FormDialog } from '../../form/form-dialog.js'
import type { ClusterRecord } from '../../shell/use-cluster.js'
import { t } from '../../words/text.js'
import { LoginFields } from './login-fields.js'
import { checkIdentity, identityFields, identityInput, identityValues } from './login-values.js'
import type { LoginValues } from './login-values.js'

interface IdentityFormProps {
  readonly cluster: ClusterRecord
  /** Replaced as a unit; null: there is none. */
  readonly login: ClusterIdentity | null
  readonly onClose: () => void
}

/** Sets the Keystone in which Roost manages the users of a cluster. The server logs in there before it stores it. */
export function IdentityForm({ cluster: { id, name }, login, onClose }: IdentityFormProps) {
  return (
    <FormDialog<LoginValues, unknown>
      title={t('identity.of', { name })}
      submit={t('identity.save')}
      initial={identityValues(login)}
      check={checkIdentity}
      save={(values) => rpc.clusters.setIdentity.mutate({ id, ...identityInput(values) })}
      changes="clusters"
      saved={() => t('identity.saved')}
      onClose={onClose}
    >
      {(form) => (
        <>
          {login !== null && <p className="banner warn">{t('identity.replaces')}</p>}
          <p>{t('identity.effect')}</p>
          <TextField form={form} name="auth_url" label={t('logins.url')} help={t('identity.url.help')} isCode />
          <LoginFields form={form} shown={identityFields(form.values)} />
          <TextField form={form} name="domain" label={t('identity.domain')} help={t('identity.domain.help')} />
          <div className="form-pair">
            <TextField form={form} name="role" label={t('identity.role')} help={t('identity.role.help')} />
            <TextField
              form={form}
              name="reseller_role"
              label={t('identity.resellerRole')}
              help={t('identity.resellerRole.help')}
            />
          </div>
        </>
      )}
    </FormDialog>
  )
}
