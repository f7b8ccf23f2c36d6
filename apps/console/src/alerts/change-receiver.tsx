import { AlertReceiverChange, faultsOf } from '@roost/api-types/rest'
import { rpc } from '../api/client.js'
import type { ReceiverRecord } from '../api/queries/receivers.js'
import { FlagField, SelectField, TextField } from '../form/fields.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'
import { leastSeverities } from './receiver-values.js'
import type { ReceiverValues } from './receiver-values.js'

interface ChangeReceiverProps {
  readonly receiver: ReceiverRecord
  readonly onClose: () => void
}

type ChangedValues = Pick<ReceiverValues, 'name' | 'least_severity' | 'send_resolved'>

/** Changes the name of a receiver and which alerts it gets. Where they are sent, which is secret, stays. */
export function ChangeReceiver({ receiver, onClose }: ChangeReceiverProps) {
  const { id, name, least_severity, send_resolved } = receiver
  return (
    <FormDialog<ChangedValues, { readonly name: string }>
      title={t('receivers.changeOf', { name })}
      submit={t('receivers.save')}
      initial={{ name, least_severity, send_resolved }}
      check={(values) => faultsOf(AlertReceiverChange, trimmed(values))}
      save={(values) => rpc.alertReceivers.change.mutate({ id, change: trimmed(values) })}
      changes="receivers"
      saved={(saved) => t('receivers.changed', { name: saved.name })}
      onClose={onClose}
    >
      {(form) => (
        <>
          <TextField form={form} name="name" label={t('access.name')} />
          <SelectField form={form} name="least_severity" label={t('receivers.least')} options={leastSeverities()} />
          <FlagField form={form} name="send_resolved" label={t('receivers.resolved')} />
        </>
      )}
    </FormDialog>
  )
}

function trimmed({ name, ...values }: ChangedValues): ChangedValues {
  return { name: name.trim(), ...values }
}
