import type { ReactNode } from 'react'
import { count } from '../format/numbers.js'
import { ChoiceFilter } from './filters.js'
import { useSearchChange } from './use-search-change.js'

type Search = Readonly<Record<string, string | undefined>>

interface FacetFilterProps {
  readonly label: string
  /** The filter of the API, which the address has, too. */
  readonly field: string
  /** In their order; those that no record has are not shown. */
  readonly values: readonly string[]
  readonly counts: Readonly<Record<string, number>> | undefined
  readonly search: Search
  readonly textOf: (value: string) => ReactNode
  readonly hasAll?: boolean
}

const notOf = (field: string) => `${field}__not`

/** One button for each value that a record has, with its number. The chosen one can be negated. */
export function FacetFilter({ label, field, values, counts = {}, search, textOf, hasAll = false }: FacetFilterProps) {
  const change = useSearchChange()
  const excluded = search[notOf(field)]
  const chosen = excluded ?? search[field]
  const choose = (value: string, isNegated: boolean) =>
    change({ [field]: isNegated ? '' : value, [notOf(field)]: isNegated ? value : '' })
  const shown = values.filter((value) => value === chosen || (counts[value] ?? 0) > 0)
  if (shown.length === 0 && !hasAll) return null
  return (
    <ChoiceFilter
      label={label}
      choices={shown.map((value) => [
        value,
        <span key={value}>
          {textOf(value)} <span className="chip-count num">{count(counts[value] ?? 0)}</span>
        </span>,
      ])}
      chosen={chosen}
      onChoose={(value) => choose(value, false)}
      negation={{ isNegated: excluded !== undefined, onNegate: (isNegated) => choose(chosen ?? '', isNegated) }}
      hasAll={hasAll}
    />
  )
}

interface FacetFields {
  /** With one of several values, which commas separate. */
  readonly choices: readonly string[]
  readonly flags?: readonly string[]
}

/** Returns the conditions of the API for the facets in an address. */
export function facetsIn(search: Search, { choices, flags = [] }: FacetFields): Record<string, string[] | boolean> {
  const conditions: Record<string, string[] | boolean> = {}
  for (const field of [...choices, ...flags])
    for (const name of [field, notOf(field)]) {
      const value = search[name]
      if (value !== undefined) conditions[name] = flags.includes(field) ? value === 'true' : value.split(',')
    }
  return conditions
}

/** Returns the change of an address that clears facets. */
export function clearedFacets({ choices, flags = [] }: FacetFields): Record<string, ''> {
  return Object.fromEntries([...choices, ...flags].flatMap((field) => [field, notOf(field)]).map((name) => [name, '']))
}
