import { useState } from 'react'
import { lazyForm } from '../form/lazy-form.js'
import { t } from '../words/text.js'

const SavedViews = lazyForm(() => import('./saved-views.js').then((file) => file.SavedViews))

/** Opens what the operator has saved of this list, and saves it as it is shown now. */
export function ViewsButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="btn" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t('views.title')}
      </button>
      {isOpen && <SavedViews onClose={() => setOpen(false)} />}
    </>
  )
}
