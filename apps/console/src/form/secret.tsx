import { useState } from 'react'
import { CopyLine } from '../ui/copy.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'

interface SecretProps {
  readonly title: string
  /** Each with its name, in the order in which they are stored. */
  readonly secrets: readonly (readonly [name: string, text: string])[]
  readonly onDone: () => void
}

/** Shows what is never shown again, until the operator says that it is stored. */
export function SecretDialog({ title, secrets, onDone }: SecretProps) {
  const [isStored, setStored] = useState(false)
  const actions = (
    <button type="button" className="btn primary" disabled={!isStored} onClick={onDone}>
      {t('ui.done')}
    </button>
  )
  return (
    <Dialog open onClose={() => isStored && onDone()} title={title} actions={actions}>
      <p>{t('secret.once')}</p>
      {secrets.map(([name, text]) => (
        <div key={name} className="secret">
          <p className="muted small">{name}</p>
          <CopyLine text={text} label={t('ui.copy')} />
        </div>
      ))}
      <label className="choice">
        <input type="checkbox" checked={isStored} onChange={({ target }) => setStored(target.checked)} />
        {t('secret.stored')}
      </label>
    </Dialog>
  )
}

const alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns a password of 24 characters without similar ones: about 140 bits. */
export function newPassword(): string {
  // The largest multiple below 256: what is above it would make some characters more likely than others.
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < 24)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < limit && text.length < 24) text += alphabet[byte % alphabet.length]
  return text
}
