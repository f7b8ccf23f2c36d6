import type { ClusterStorage } from '@roost/api-types/rest'
import { rpc } from '../../api/client.js'
import { SelectField, TextField } from '../../form/fields.js'
import { FormDialog } from '../../form/form-dialog.js'
import type { ClusterRecord } from '../../shell/use-cluster.js'
import { t } from '../../words/text.js'
import { LoginFields } from './login-fields.js'
import { checkStorage, storageFields, storageInput, storageValues } from './login-values.js'
import type { LoginValues } from './login-values.js'

interface StorageFormProps {
  readonly cluster: ClusterRecord
  /** Replaced as a unit; null: there is none. */
  readonly login: ClusterStorage | null
  readonly onClose: () => void
}

/** Sets with what the gateways of a cluster reach its Swift. */
export function StorageForm({ cluster: { id, name }, login, onClose }: StorageFormProps) {
  return (
    <FormDialog<LoginValues, unknown>
      title={t('storage.of', { name })}
      submit={t('storage.save')}
      initial={storageValues(login)}
      check={checkStorage}
      save={(values) => rpc.clusters.setStorage.mutate({ id, ...storageInput(values) })}
      changes="clusters"
      saved={() => t('storage.saved')}
      onClose={onClose}
    >
      {(form) => {
        const shown = storageFields(form.values)
        return (
          <>
            {login !== null && <p className="banner warn">{t('storage.replaces')}</p>}
            <TextField form={form} name="auth_url" label={t('logins.url')} help={t('storage.url.help')} isCode />
            <LoginFields form={form} shown={shown} />
            {shown.includes('region') && (
              <div className="form-pair">
                <TextField form={form} name="region" label={t('storage.region')} help={t('storage.region.help')} />
                <SelectField
                  form={form}
                  name="interface"
                  label={t('storage.interface')}
                  options={(['public', 'internal', 'admin'] as const).map((each) => [each, each])}
                  none={t('storage.interface.default')}
                />
              </div>
            )}
          </>
        )
      }}
    </FormDialog>
  )
}
