import type { Explainable } from '../api/queries/clusters.js'
import { bytes, count, noValue } from '../format/numbers.js'
import { duration } from '../format/time.js'
import { locale } from '../words/locale.js'
import { t, tOr } from '../words/text.js'

/** In an address: the devices that are in no set of policies. No policy can have this name. */
const noSet = '(none)'

/** Returns what a number is called in the address of the page. */
export function addressOf(name: string): string {
  return name === '' ? noSet : name
}

/** Returns the title of a number: a set of policies and a metric have their own name. */
export function titleOf(of: Explainable, name: string): string {
  if (name === '') return t('explain.noRing')
  if (of !== 'health') return name
  if (name === 'verdict') return t('explain.verdict')
  if (name === 'async_pending') return t('swift.async')
  const [field, part] = name.split('.')
  if (field === 'oldest_replication' && part !== undefined) return t('swift.oldest', { kind: part })
  if (field === 'quarantined' && part !== undefined) return t('explain.quarantined', { items: part })
  return name
}

export function valueName(field: string): string {
  return tOr(`explain.value.${field}`)
}

const numbers = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 })

/** Returns a value in its unit, which the name of its field has; ages are those of the replication. */
export function valueText(number: string, field: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return noValue
  if (field.includes('bytes')) return bytes(value)
  if (field !== 'value') return count(value)
  return number.startsWith('oldest_replication.') ? duration(value) : numbers.format(value)
}
