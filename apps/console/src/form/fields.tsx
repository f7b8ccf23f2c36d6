import { useId } from 'react'
import type { ReactNode } from 'react'
import { Field } from '../ui/field.js'
import type { Form } from './use-form.js'

/** The names of the values that are of a type. */
type NamesOf<V, T> = { [K in keyof V]: V[K] extends T ? K : never }[keyof V]

interface TextProps<V> {
  readonly form: Form<V>
  readonly name: NamesOf<V, string>
  readonly label: string
  readonly help?: string | undefined
  /** What is allowed, and seldom intended. */
  readonly warning?: string | undefined
  readonly placeholder?: string
  readonly isCode?: boolean
  readonly type?: 'text' | 'password' | 'number' | 'datetime-local'
  /** Texts that complete what is typed; any other text is as good. */
  readonly suggestions?: readonly string[]
}

/** Without it, browsers let one type a year of six digits. */
const latest = '9999-12-31T23:59'

export function TextField<V>(props: TextProps<V>) {
  const { form, name, label, help, warning, placeholder, isCode, type = 'text', suggestions } = props
  const list = useId()
  return (
    <div className="form-field">
      <Field label={label} help={help} error={form.errorOf(name)}>
        <input
          className={isCode === true ? 'input mono' : 'input'}
          name={String(name)}
          type={type}
          max={type === 'datetime-local' ? latest : undefined}
          autoComplete={type === 'password' ? 'new-password' : 'off'}
          spellCheck={false}
          placeholder={placeholder}
          list={suggestions === undefined ? undefined : list}
          value={form.values[name] as string}
          onChange={({ target }) => form.set(name, target.value as V[typeof name])}
          onBlur={() => form.touch(name)}
        />
      </Field>
      {suggestions !== undefined && (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
      {warning !== undefined && <p className="field-warning">{warning}</p>}
    </div>
  )
}

/** Several lines, such as a certificate or a list. */
export function LinesField<V>({ form, name, label, help }: Pick<TextProps<V>, 'form' | 'name' | 'label' | 'help'>) {
  return (
    <Field label={label} help={help} error={form.errorOf(name)}>
      <textarea
        className="input mono lines"
        name={String(name)}
        rows={3}
        autoComplete="off"
        spellCheck={false}
        value={form.values[name] as string}
        onChange={({ target }) => form.set(name, target.value as V[typeof name])}
        onBlur={() => form.touch(name)}
      />
    </Field>
  )
}

interface SelectProps<V> {
  readonly form: Form<V>
  readonly name: NamesOf<V, string>
  readonly label: string
  readonly help?: string | undefined
  readonly options: readonly (readonly [value: string, text: string])[]
  /** The entry that chooses nothing. */
  readonly none?: string
  /** Why there are no other options. */
  readonly failure?: string | undefined
}

export function SelectField<V>({ form, name, label, help, options, none, failure }: SelectProps<V>) {
  return (
    <Field label={label} help={help} error={form.errorOf(name) ?? failure}>
      <select
        className="input"
        name={String(name)}
        value={form.values[name] as string}
        onChange={({ target }) => {
          form.set(name, target.value as V[typeof name])
          form.touch(name)
        }}
      >
        {none !== undefined && <option value="">{none}</option>}
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface RadioProps<V> {
  readonly form: Form<V>
  readonly name: NamesOf<V, string>
  readonly label: string
  readonly options: readonly (readonly [value: string, text: string])[]
}

/** Few choices, all in view. */
export function RadioField<V>({ form, name, label, options }: RadioProps<V>) {
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {options.map(([value, text]) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={String(name)}
            value={value}
            checked={form.values[name] === value}
            onChange={() => form.set(name, value as V[typeof name])}
          />
          {text}
        </label>
      ))}
    </fieldset>
  )
}

interface FlagProps<V> {
  readonly form: Form<V>
  readonly name: NamesOf<V, boolean>
  readonly label: string
  readonly help?: ReactNode
}

export function FlagField<V>({ form, name, label, help }: FlagProps<V>) {
  const id = useId()
  return (
    <div className="flag">
      <input
        id={id}
        type="checkbox"
        name={String(name)}
        checked={form.values[name] as boolean}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={({ target }) => form.set(name, target.checked as V[typeof name])}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <p id={`${id}-help`} className="field-help">
            {help}
          </p>
        )}
      </div>
    </div>
  )
}
