import type { ReactNode } from 'react'
import { t } from '../words/text.js'

interface TextFilterProps {
  readonly label: string
  readonly value: string | undefined
  /** Called with the empty text to filter no more. */
  readonly onFilter: (value: string) => void
}

/** Filters when Enter is pressed, or when the field is left. */
export function TextFilter({ label, value = '', onFilter }: TextFilterProps) {
  const filter = (text: string) => {
    if (text.trim() !== value) onFilter(text.trim())
  }
  return (
    <input
      key={value}
      className="input"
      type="search"
      placeholder={label}
      aria-label={label}
      defaultValue={value}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && filter(currentTarget.value)}
      onBlur={({ target }) => filter(target.value)}
    />
  )
}

interface ChoiceFilterProps {
  readonly label: string
  readonly choices: readonly (readonly [value: string, text: ReactNode])[]
  /** Undefined: all. */
  readonly chosen: string | undefined
  /** Called with the empty text for all. */
  readonly onChoose: (value: string) => void
  /** Where the chosen one can be negated. */
  readonly negation?: { readonly isNegated: boolean; readonly onNegate: (isNegated: boolean) => void }
  readonly hasAll?: boolean
}

/** One button for each choice, and one for all. */
export function ChoiceFilter({ label, choices, chosen, onChoose, negation, hasAll = true }: ChoiceFilterProps) {
  const isNegated = negation?.isNegated === true
  return (
    <div className="filters" role="group" aria-label={label}>
      {hasAll && (
        <button type="button" className="btn s" aria-pressed={chosen === undefined} onClick={() => onChoose('')}>
          {t('ui.all')}
        </button>
      )}
      {choices.map(([value, text]) => (
        <button
          key={value}
          type="button"
          className="btn s"
          aria-pressed={chosen === value}
          onClick={() => onChoose(chosen === value ? '' : value)}
        >
          {isNegated && chosen === value && t('list.not')} {text}
        </button>
      ))}
      {negation !== undefined && chosen !== undefined && (
        <button
          type="button"
          className="btn s"
          aria-pressed={isNegated}
          aria-label={t('list.negate')}
          title={t('list.negate')}
          onClick={() => negation.onNegate(!isNegated)}
        >
          ≠
        </button>
      )}
    </div>
  )
}
