import { faultsOf, UserChange, UserInput } from '@roost/api-types/rest'
import type { Faults } from '../form/use-form.js'

export interface UserValues {
  readonly user: string
  readonly password: string
  readonly is_superuser: boolean
  readonly enabled: boolean
}

export function checkUser(cluster: number, values: UserValues): Faults {
  return faultsOf(UserInput, { cluster, ...values, user: values.user.trim() })
}

export function checkPassword(values: { readonly password: string }): Faults {
  return faultsOf(UserChange, values)
}
