import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DialogActions, FormBody } from '../../form/form.js'
import { useForm } from '../../form/use-form.js'
import type { Faults, Form } from '../../form/use-form.js'
import { Dialog } from '../../ui/dialog.js'
import { toast } from '../../ui/toast.js'
import { t } from '../../words/text.js'

interface RuleDialogProps<V> {
  readonly title: string
  /** What the button says that saves it. */
  readonly submit: string
  readonly initial: V
  readonly check: (values: V) => Faults
  readonly save: (values: V) => Promise<unknown>
  readonly onClose: () => void
  readonly children: (form: Form<V>) => ReactNode
}

/** The form of a rule or a limit, in a dialog that closes once it is saved. */
export function RuleDialog<V extends object>(props: RuleDialogProps<V>) {
  const { title, submit, onClose, children, ...values } = props
  const queries = useQueryClient()
  const form = useForm<V, unknown>({
    ...values,
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: ['alerts'] })
      toast(t('rules.saved'))
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={title}>
      <FormBody
        form={form}
        label={title}
        actions={<DialogActions isBusy={form.isBusy} onCancel={onClose} submit={submit} />}
      >
        {children(form)}
      </FormBody>
    </Dialog>
  )
}
