import { rpc } from '../api/client.js'
import type { ReceiverRecord } from '../api/queries/receivers.js'
import { FlagField, SelectField, TextField } from '../form/fields.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'
import { ReceiverSettings } from './receiver-settings.js'
import { checkReceiverChange, leastSeverities, newReceiver, receiverChange } from './receiver-values.js'
import type { ReceiverValues } from './receiver-values.js'

interface ChangeReceiverProps {
  readonly receiver: ReceiverRecord
  readonly onClose: () => void
}

/** Changes the name of a receiver and which alerts it gets. Where they are sent, which is secret, stays unless all of it is given again. */
export function ChangeReceiver({ receiver, onClose }: ChangeReceiverProps) {
  const { id, name, kind, target, least_severity, send_resolved } = receiver
  return (
    <FormDialog<ReceiverValues, { readonly name: string }>
      title={t('receivers.changeOf', { name })}
      submit={t('receivers.save')}
      initial={{ ...newReceiver, name, kind, least_severity, send_resolved, replaces: false }}
      check={checkReceiverChange}
      save={(values) => rpc.alertReceivers.change.mutate({ id, change: receiverChange(values) })}
      changes="receivers"
      saved={(saved) => t('receivers.changed', { name: saved.name })}
      onClose={onClose}
    >
      {(form) => (
        <>
          <TextField form={form} name="name" label={t('access.name')} />
          <SelectField form={form} name="least_severity" label={t('receivers.least')} options={leastSeverities()} />
          <FlagField form={form} name="send_resolved" label={t('receivers.resolved')} />
          <FlagField
            form={form}
            name="replaces"
            label={t('receivers.replaces')}
            help={t('receivers.replaces.help', { target })}
          />
          {form.values.replaces && <ReceiverSettings form={form} />}
        </>
      )}
    </FormDialog>
  )
}
