import { useQueryClient } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { FlagField, RadioField, SelectField, TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { useClusters } from '../shell/use-cluster.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { ReceiverSettings } from './receiver-settings.js'
import { checkReceiver, leastSeverities, newReceiver, receiverInput } from './receiver-values.js'
import type { ReceiverValues } from './receiver-values.js'

/** Adds where alerts are sent. The settings are never shown again. */
export function NewReceiver({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const { all } = useClusters()
  const form = useForm<ReceiverValues, { readonly name: string }>({
    initial: newReceiver,
    check: checkReceiver,
    save: (values) => rpc.alertReceivers.create.mutate(receiverInput(values)),
    onSaved: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ['receivers'] })
      toast(t('receivers.added', { name }))
      onClose()
    },
  })
  const actions = <DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('receivers.add')} />
  return (
    <Dialog open onClose={onClose} title={t('receivers.new')}>
      <FormBody form={form} label={t('receivers.new')} actions={actions}>
        <TextField form={form} name="name" label={t('access.name')} />
        <RadioField
          form={form}
          name="kind"
          label={t('receivers.kind')}
          options={(['webhook', 'email', 'alertmanager'] as const).map((kind) => [kind, t(`receivers.kind.${kind}`)])}
        />
        <ReceiverSettings form={form} />
        <SelectField
          form={form}
          name="cluster"
          label={t('receivers.of')}
          options={all.map(({ id, name }) => [String(id), name])}
          none={t('receivers.everyCluster')}
        />
        <SelectField form={form} name="least_severity" label={t('receivers.least')} options={leastSeverities()} />
        <FlagField form={form} name="send_resolved" label={t('receivers.resolved')} />
      </FormBody>
    </Dialog>
  )
}
