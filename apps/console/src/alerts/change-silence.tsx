import { rpc } from '../api/client.js'
import type { SilenceRecord } from '../api/queries/silences.js'
import { FlagField, TextField } from '../form/fields.js'
import { display } from '../format/display.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'
import { checkEnd, endValues, silenceChange } from './silence-values.js'
import type { EndValues } from './silence-values.js'

interface ChangeSilenceProps {
  readonly silence: SilenceRecord
  readonly onClose: () => void
}

/** Changes the end of a silence, such as to a later one, and why it is there. What it matches stays. */
export function ChangeSilence({ silence, onClose }: ChangeSilenceProps) {
  return (
    <FormDialog<EndValues, unknown>
      title={t('silences.changeTitle')}
      submit={t('silences.saveChange')}
      initial={endValues(silence)}
      check={(values) => checkEnd(silence, values)}
      save={(values) => rpc.alertSilences.change.mutate({ id: silence.id, change: silenceChange(silence, values) })}
      changes="alerts"
      saved={() => t('silences.changed')}
      onClose={onClose}
    >
      {(form) => (
        <>
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
        </>
      )}
    </FormDialog>
  )
}
