import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { FormEvent, RefObject } from 'react'
import { isCallError } from '../api/client.js'
import { errorText } from '../api/error-text.js'

/** Sentences by field. */
export type Faults = Readonly<Record<string, readonly string[] | undefined>>

interface FormOptions<V, R> {
  readonly initial: V
  /** Returns what is wrong with the values, by the schema of the server. */
  readonly check: (values: V) => Faults
  readonly save: (values: V) => Promise<R>
  readonly onSaved: (saved: R, values: V) => void
}

export interface Form<V> {
  readonly values: V
  readonly set: <K extends keyof V>(name: K, value: V[K]) => void
  /** Of a field that was left, or after the attempt to save. */
  readonly errorOf: (name: keyof V) => string | undefined
  /** Shows from now on what is wrong with the field. */
  readonly touch: (name: keyof V) => void
  /** Why the server refused the whole form, and what is wrong with fields that the form does not show now. */
  readonly problem: string | undefined
  readonly isBusy: boolean
  readonly submit: (event?: FormEvent) => void
  readonly element: RefObject<HTMLFormElement | null>
}

/** Returns the sentences by field with which the server refused a form. */
function refusalOf(error: unknown): Faults {
  return isCallError(error) ? ((error.data as { readonly fields?: Faults } | undefined)?.fields ?? {}) : {}
}

/** The state of a form: rules while one types, the server's own errors at their fields, the focus at the first of them. */
export function useForm<V extends object, R>({ initial, check, save, onSaved }: FormOptions<V, R>): Form<V> {
  const element = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(initial)
  const [touched, setTouched] = useState<ReadonlySet<keyof V>>(new Set())
  const [attempts, setAttempts] = useState(0)
  const saving = useMutation({ mutationFn: save, onSuccess: onSaved, onError: () => setAttempts((count) => count + 1) })
  const [shown, setShown] = useState<readonly string[]>()
  useEffect(() => {
    if (attempts === 0) return
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    setShown([...(element.current?.elements ?? [])].map((field) => field.getAttribute('name') ?? ''))
  }, [attempts])
  const faults = check(values)
  const refusal = refusalOf(saving.error)
  const names = Object.keys(values) as (keyof V)[]
  const refusedWith = (name: keyof V) => (saving.variables?.[name] === values[name] ? refusal[String(name)] : undefined)
  const isUnseen = (name: string) => shown !== undefined && !shown.includes(name)
  const unseen = names.flatMap((name) => (isUnseen(String(name)) ? (faults[String(name)] ?? []) : []))
  const others = Object.entries(refusal).flatMap(([name, sentences]) => (isUnseen(name) ? (sentences ?? []) : []))
  return {
    values,
    element,
    set: (name, value) => setValues((old) => ({ ...old, [name]: value })),
    touch: (name) => setTouched((old) => new Set(old).add(name)),
    errorOf: (name) => ((touched.has(name) ? faults[String(name)] : undefined) ?? refusedWith(name))?.join(' '),
    problem: problemOf(saving.error, refusal, [...unseen, ...others]),
    isBusy: saving.isPending,
    submit: (event) => {
      event?.preventDefault()
      if (saving.isPending) return
      setTouched(new Set(names))
      if (names.every((name) => faults[String(name)] === undefined)) saving.mutate(values)
      else setAttempts((count) => count + 1)
    },
  }
}

function problemOf(error: unknown, refusal: Faults, others: readonly string[]): string | undefined {
  if (others.length > 0) return others.join(' ')
  return error === null || Object.keys(refusal).length > 0 ? undefined : errorText(error)
}
