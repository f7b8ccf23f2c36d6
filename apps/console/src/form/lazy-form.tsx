import { useEffect, useState } from 'react'
import type { ComponentType } from 'react'
import { Dialog } from '../ui/dialog.js'
import { Failed } from '../ui/empty.js'
import { t } from '../words/text.js'

interface OfForm {
  readonly onClose: () => void
}

/**
 * Returns a form whose file is loaded when it is opened: the rules of the API that it checks are larger than a screen. A file
 * that cannot be loaded is asked for again with each attempt, and the screen stays as it is.
 */
export function lazyForm<P extends OfForm>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function LazyForm(props: P) {
    const [attempt, setAttempt] = useState(1)
    const [found, setFound] = useState<{ readonly of: number; readonly Form?: ComponentType<P> }>()
    useEffect(() => {
      let isOpen = true
      const show = (Form?: ComponentType<P>) => isOpen && setFound({ of: attempt, ...(Form && { Form }) })
      void load().then(show, () => show())
      return () => {
        isOpen = false
      }
    }, [attempt])
    if (found?.of !== attempt) return null
    if (found.Form !== undefined) return <found.Form {...props} />
    return (
      <Dialog open onClose={props.onClose} title={t('ui.noForm')}>
        <Failed message={t('ui.noForm.next')} onRetry={() => setAttempt(attempt + 1)} />
      </Dialog>
    )
  }
}
