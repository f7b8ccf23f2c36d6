import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { OperatorRecord } from '../api/queries/access.js'
import { RadioField, TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { NewKey } from './new-key.js'
import { checkOperator } from './rules.js'
import type { OperatorValues } from './rules.js'

/** Adds an operator, then its first key. */
export function NewOperator({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [created, setCreated] = useState<OperatorRecord | null>(null)
  const form = useForm<OperatorValues, OperatorRecord>({
    initial: { name: '', role: 'read_only' },
    check: checkOperator,
    save: ({ name, role }) => rpc.operators.create.mutate({ name, role: role as OperatorRecord['role'] }),
    onSaved: (operator) => {
      void queries.invalidateQueries({ queryKey: ['access'] })
      setCreated(operator)
    },
  })
  if (created !== null) return <NewKey operator={created} onClose={onClose} />
  const actions = <DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('access.addOperator')} />
  return (
    <Dialog open onClose={onClose} title={t('access.newOperator')}>
      <FormBody form={form} label={t('access.newOperator')} actions={actions}>
        <TextField form={form} name="name" label={t('access.name')} />
        <RadioField
          form={form}
          name="role"
          label={t('access.role')}
          options={[
            ['read_only', t('account.role.read_only')],
            ['admin', t('account.role.admin')],
          ]}
        />
      </FormBody>
    </Dialog>
  )
}
