import { rpc } from '../api/client.js'
import { FlagField, RadioField, SelectField, TextField } from '../form/fields.js'
import { useClusterOptions } from '../shell/use-cluster.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'
import { ReceiverSettings } from './receiver-settings.js'
import { checkReceiver, leastSeverities, newReceiver, receiverInput } from './receiver-values.js'
import type { ReceiverValues } from './receiver-values.js'

/** Adds where alerts are sent. The settings are never shown again. */
export function NewReceiver({ onClose }: { readonly onClose: () => void }) {
  const clusters = useClusterOptions()
  return (
    <FormDialog<ReceiverValues, { readonly name: string }>
      title={t('receivers.new')}
      submit={t('receivers.add')}
      initial={newReceiver}
      check={checkReceiver}
      save={(values) => rpc.alertReceivers.create.mutate(receiverInput(values))}
      changes="receivers"
      saved={({ name }) => t('receivers.added', { name })}
      onClose={onClose}
    >
      {(form) => (
        <>
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
            {...clusters}
            none={t('receivers.everyCluster')}
          />
          <SelectField form={form} name="least_severity" label={t('receivers.least')} options={leastSeverities()} />
          <FlagField form={form} name="send_resolved" label={t('receivers.resolved')} />
        </>
      )}
    </FormDialog>
  )
}
