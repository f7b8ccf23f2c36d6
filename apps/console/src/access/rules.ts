import { ApiKeyInput, faultsOf, OperatorInput } from '@roost/api-types/rest'
import type { Faults } from '../form/use-form.js'

export interface OperatorValues {
  readonly name: string
  readonly role: string
}

export function checkOperator(values: OperatorValues): Faults {
  return faultsOf(OperatorInput, values)
}

export interface KeyValues {
  readonly label: string
  /** Days until it expires; empty: never. */
  readonly days: string
}

const daySeconds = 86_400

export function keyInput(operator: number, { label, days }: KeyValues) {
  return { operator, label, ...(days.trim() === '' ? {} : { ttl_seconds: Math.round(Number(days) * daySeconds) }) }
}

export function checkKey(operator: number, values: KeyValues): Faults {
  const { ttl_seconds: days, ...faults } = faultsOf(ApiKeyInput, keyInput(operator, values))
  return { ...faults, ...(days === undefined ? {} : { days }) }
}
