import { AlertReceiverChange, faultsOf } from '@roost/api-types/rest'
import { useQueryClient } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import type { ReceiverRecord } from '../api/queries/receivers.js'
import { FlagField, SelectField, TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { leastSeverities } from './receiver-values.js'
import type { ReceiverValues } from './receiver-values.js'

interface ChangeReceiverProps {
  readonly receiver: ReceiverRecord
  readonly onClose: () => void
}

type ChangedValues = Pick<ReceiverValues, 'name' | 'least_severity' | 'send_resolved'>

/** Changes the name of a receiver and which alerts it gets. Where they are sent, which is secret, stays. */
export function ChangeReceiver({ receiver: { id, ...receiver }, onClose }: ChangeReceiverProps) {
  const queries = useQueryClient()
  const { name, least_severity, send_resolved } = receiver
  const form = useForm<ChangedValues, { readonly name: string }>({
    initial: { name, least_severity, send_resolved },
    check: (values) => faultsOf(AlertReceiverChange, trimmed(values)),
    save: (values) => rpc.alertReceivers.change.mutate({ id, change: trimmed(values) }),
    onSaved: (saved) => {
      void queries.invalidateQueries({ queryKey: ['receivers'] })
      toast(t('receivers.changed', { name: saved.name }))
      onClose()
    },
  })
  const title = t('receivers.changeOf', { name })
  return (
    <Dialog open onClose={onClose} title={title}>
      <FormBody
        form={form}
        label={title}
        actions={<DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('receivers.save')} />}
      >
        <TextField form={form} name="name" label={t('access.name')} />
        <SelectField form={form} name="least_severity" label={t('receivers.least')} options={leastSeverities()} />
        <FlagField form={form} name="send_resolved" label={t('receivers.resolved')} />
      </FormBody>
    </Dialog>
  )
}

function trimmed({ name, ...values }: ChangedValues): ChangedValues {
  return { name: name.trim(), ...values }
}
