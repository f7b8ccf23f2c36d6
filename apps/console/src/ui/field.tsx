import { useId } from 'react'
import type { ReactElement } from 'react'
import { cloneElement } from 'react'

interface FieldProps {
  readonly label: string
  readonly help?: string | undefined
  readonly error?: string | undefined
  /** The input. It gets the names of its help and its error. */
  readonly children: ReactElement<Readonly<Record<string, unknown>>>
}

/** An input with its label, its rule and its error. */
export function Field({ label, help, error, children }: FieldProps) {
  const id = useId()
  const described = [help === undefined ? '' : `${id}-help`, error === undefined ? '' : `${id}-error`]
  const input = cloneElement(children, {
    id,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': described.join(' ').trim() || undefined,
  })
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {input}
      {help !== undefined && (
        <p id={`${id}-help`} className="field-help">
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}
