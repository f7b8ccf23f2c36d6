import type { Faults } from '../form/use-form.js'
import { t } from '../words/text.js'

export interface TokenValues {
  /** How many nodes can enroll with it. */
  readonly uses: string
  /** Until it expires. */
  readonly seconds: string
  readonly gateway: boolean
  readonly proxy: boolean
  /** Whether the line prepares the servers of these roles, too. */
  readonly prepare: boolean
  /** Whether the line prepares storage servers, whose role no token grants. */
  readonly storage: boolean
}

/** Seconds; the server allows a week. */
export const lifetimes = [3_600, 86_400, 604_800] as const

const maxUses = 1000

export function checkToken({ uses }: TokenValues): Faults {
  const isValid = /^\d{1,4}$/.test(uses.trim()) && Number(uses) >= 1 && Number(uses) <= maxUses
  return isValid ? {} : { uses: [t('addNode.uses.rule')] }
}

export function tokenInput(cluster: number, { uses, seconds, gateway, proxy, prepare, storage }: TokenValues) {
  const roles = [...(gateway ? (['runs_gateway'] as const) : []), ...(proxy ? (['runs_proxy'] as const) : [])]
  return {
    cluster,
    uses: Number(uses),
    ttl_seconds: Number(seconds),
    ...(roles.length === 0 ? {} : { roles, prepare }),
    ...(storage ? { prepare_storage: true } : {}),
  }
}
