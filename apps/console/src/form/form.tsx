import './form.css'
import type { ReactNode } from 'react'
import { useMayChange } from '../api/session-context.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import type { Form } from './use-form.js'

interface FormBodyProps<V> {
  readonly form: Form<V>
  readonly label: string
  /** The buttons. */
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** A form with the sentence that refuses all of it, and its buttons. */
export function FormBody<V>({ form: { element, problem, submit }, label, actions, children }: FormBodyProps<V>) {
  return (
    <form ref={element} className="form" aria-label={label} noValidate onSubmit={submit}>
      <Problem text={problem} />
      {children}
      <div className="form-actions">{actions}</div>
    </form>
  )
}

interface ActionProps {
  readonly kind?: 'primary' | 'danger' | 'ghost'
  readonly small?: boolean
  readonly isSubmit?: boolean
  readonly isBusy?: boolean
  /** Why it cannot be done now; the button stays within reach of the keyboard. */
  readonly reason?: string | undefined
  readonly onClick?: () => void
  readonly children: ReactNode
}

/** A button that changes something: read-only operators see it with the reason that it does nothing for them. */
export function Action(props: ActionProps) {
  const { kind, small = false, isSubmit = false, isBusy = false, reason, onClick, children } = props
  const mayChange = useMayChange()
  const why = mayChange ? reason : t('ui.readOnly')
  const isOff = why !== undefined || isBusy
  return (
    <button
      type={isSubmit ? 'submit' : 'button'}
      className={['btn', kind, small && 's'].filter(Boolean).join(' ')}
      aria-disabled={isOff}
      aria-busy={isBusy}
      title={why}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.()
      }}
    >
      {children}
    </button>
  )
}

interface DialogActionsProps {
  readonly isBusy: boolean
  readonly onCancel: () => void
  /** What is submitted, such as `Create key`. */
  readonly submit: string
}

/** The buttons of a form in a dialog. */
export function DialogActions({ isBusy, onCancel, submit }: DialogActionsProps) {
  return (
    <>
      <button type="button" className="btn" onClick={onCancel}>
        {t('ui.cancel')}
      </button>
      <Action kind="primary" isSubmit isBusy={isBusy}>
        {submit}
      </Action>
    </>
  )
}
