import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { DialogActions, FormBody } from './form.js'
import { useForm } from './use-form.js'
import type { Faults, Form } from './use-form.js'

interface FormDialogProps<V, R> {
  readonly title: string
  /** What the button says that saves it. */
  readonly submit: string
  readonly initial: V
  readonly check: (values: V) => Faults
  readonly save: (values: V) => Promise<R>
  /** The first part of the query keys of what is read again. */
  readonly changes: string
  /** What is said once it is saved. */
  readonly saved?: (saved: R) => string
  readonly onClose: () => void
  readonly children: (form: Form<V>) => ReactNode
}

/** A form in a dialog that closes once it is saved. */
export function FormDialog<V extends object, R>(props: FormDialogProps<V, R>) {
  const { title, submit, changes, saved, onClose, children, ...values } = props
  const queries = useQueryClient()
  const form = useForm<V, R>({
    ...values,
    onSaved: (result) => {
      void queries.invalidateQueries({ queryKey: [changes] })
      if (saved !== undefined) toast(saved(result))
      onClose()
    },
  })
  const actions = <DialogActions isBusy={form.isBusy} onCancel={onClose} submit={submit} />
  return (
    <Dialog open onClose={onClose} title={title}>
      <FormBody form={form} label={title} actions={actions}>
        {children(form)}
      </FormBody>
    </Dialog>
  )
}
