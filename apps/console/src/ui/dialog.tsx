import './dialog.css'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from './icons.js'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../words/text.js'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  /** The buttons, the one that changes nothing first. */
  readonly actions?: ReactNode
  readonly wide?: boolean
}

/** A window above the page, which keeps the focus until it is closed. */
export function Dialog({ open, onClose, title, children, actions, wide = false }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Popup className={wide ? 'dialog wide' : 'dialog'}>
          <header>
            <Base.Title>{title}</Base.Title>
            <Base.Close className="btn s ghost icon" aria-label={t('ui.close')}>
              <X size={16} aria-hidden="true" />
            </Base.Close>
          </header>
          <div className="dialog-body">{children}</div>
          {actions !== undefined && <footer>{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface ConfirmProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly title: string
  /** What happens, and what it costs. */
  readonly children: ReactNode
  /** What the button does, such as `Remove 3 nodes`. */
  readonly action: string
  /** A name that has to be typed first. */
  readonly typed?: string | undefined
  readonly isBusy?: boolean
}

/** Asks before something is lost. The button that changes nothing has the focus. */
export function Confirm({ open, onClose, onConfirm, title, children, action, typed, isBusy = false }: ConfirmProps) {
  const [text, setText] = useState('')
  const isReady = (typed === undefined || text === typed) && !isBusy
  const actions = (
    <>
      <button type="button" className="btn" onClick={onClose}>
        {t('ui.cancel')}
      </button>
      <button type="button" className="btn danger" disabled={!isReady} onClick={onConfirm}>
        {action}
      </button>
    </>
  )
  return (
    <Dialog open={open} onClose={onClose} title={title} actions={actions}>
      {children}
      {typed !== undefined && (
        <label className="field">
          <span>{t('ui.typeName', { name: typed })}</span>
          <input className="input" value={text} autoComplete="off" onChange={({ target }) => setText(target.value)} />
        </label>
      )}
    </Dialog>
  )
}
