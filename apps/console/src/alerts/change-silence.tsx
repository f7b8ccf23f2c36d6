import { useQueryClient } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import type { SilenceRecord } from '../api/queries/silences.js'
import { FlagField, TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { display } from '../format/display.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { checkEnd, endValues, silenceChange } from './silence-values.js'
import type { EndValues } from './silence-values.js'

interface ChangeSilenceProps {
  readonly silence: SilenceRecord
  readonly onClose: () => void
}

/** Changes the end of a silence, such as to a later one, and why it is there. What it matches stays. */
export function ChangeSilence({ silence, onClose }: ChangeSilenceProps) {
  const queries = useQueryClient()
  const form = useForm<EndValues, unknown>({
    initial: endValues(silence),
    check: (values) => checkEnd(silence, values),
    save: (values) => rpc.alertSilences.change.mutate({ id: silence.id, change: silenceChange(silence, values) }),
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: ['alerts'] })
      toast(t('silences.changed'))
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={t('silences.changeTitle')}>
      <FormBody
        form={form}
        label={t('silences.changeTitle')}
        actions={<DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('silences.saveChange')} />}
      >
        <TextField
          form={form}
          name="ends_at"
          type="datetime-local"
          label={t('silences.endsAt')}
          help={t(`silences.endsAt.${display().zone}`)}
        />
        <FlagField
          form={form}
          name="until_worse"
          label={t('silences.untilWorse')}
          help={t('silences.untilWorse.help')}
        />
        <TextField form={form} name="comment" label={t('silences.comment')} help={t('silences.comment.help')} />
      </FormBody>
    </Dialog>
  )
}
