import { Check, CopyIcon } from './icons.js'
import { useEffect, useState } from 'react'
import { t } from '../words/text.js'
import { toast } from './toast.js'

interface CopyProps {
  readonly text: string
  /** What is copied, for readers of the screen. */
  readonly label: string
  /** Shows the label beside the icon. */
  readonly wide?: boolean
}

/** Copies a text, and says so. */
export function Copy({ text, label, wide = false }: CopyProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      toast(t('ui.copied'))
    } catch {
      toast(t('ui.notCopied'))
    }
  }
  const Icon = copied ? Check : CopyIcon
  return (
    <button
      type="button"
      className={wide ? 'btn s' : 'btn s ghost icon'}
      aria-label={wide ? undefined : label}
      title={wide ? undefined : label}
      onClick={() => void copy()}
    >
      <Icon size={14} aria-hidden="true" />
      {wide && label}
    </button>
  )
}

/** A line for a terminal, with a button that copies it. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="copy-line">
      {/* A region that scrolls must be within reach of the keyboard. */}
      <code tabIndex={0}>{text}</code>
      <Copy text={text} label={label} />
    </div>
  )
}
