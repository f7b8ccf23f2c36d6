import type { ReactNode } from 'react'
import { Empty } from '../ui/empty.js'
import type { Icon } from '../ui/icons.js'
import { t } from '../words/text.js'

interface NoRowsProps {
  readonly icon: Icon
  readonly isFiltered: boolean
  readonly onClear: () => void
  /** For a list that is empty without filters. */
  readonly title: string
  readonly next: string
  readonly children?: ReactNode
}

/** Says whether there is nothing at all, or nothing that matches. */
export function NoRows({ icon, isFiltered, onClear, title, next, children }: NoRowsProps) {
  if (!isFiltered)
    return (
      <Empty icon={icon} title={title} next={next}>
        {children}
      </Empty>
    )
  return (
    <Empty icon={icon} title={t('list.noMatch')} next={t('list.noMatch.next')}>
      <button type="button" className="btn s" onClick={onClear}>
        {t('list.clear')}
      </button>
    </Empty>
  )
}
