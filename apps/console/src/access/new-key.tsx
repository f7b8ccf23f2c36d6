import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { OperatorRecord } from '../api/queries/access.js'
import { TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { SecretDialog } from '../form/secret.js'
import { useForm } from '../form/use-form.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { checkKey, keyInput } from './rules.js'

interface NewKeyProps {
  readonly operator: Pick<OperatorRecord, 'id' | 'name'>
  readonly onClose: () => void
}

/** Creates a key of an operator, and shows its secret once. */
export function NewKey({ operator: { id, name }, onClose }: NewKeyProps) {
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const form = useForm({
    initial: { label: '', days: '' },
    check: (values) => checkKey(id, values),
    save: (values) => rpc.apiKeys.create.mutate(keyInput(id, values)),
    onSaved: ({ credentials }) => {
      void queries.invalidateQueries({ queryKey: ['access'] })
      setSecret(credentials)
    },
  })
  const title = t('access.newKeyOf', { name })
  if (secret !== null) return <SecretDialog title={title} secrets={[[t('access.key'), secret]]} onDone={onClose} />
  const actions = <DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('access.createKey')} />
  return (
    <Dialog open onClose={onClose} title={title}>
      <FormBody form={form} label={title} actions={actions}>
        <TextField form={form} name="label" label={t('access.label')} help={t('access.label.help')} />
        <TextField form={form} name="days" label={t('access.days')} help={t('access.days.help')} />
      </FormBody>
    </Dialog>
  )
}
