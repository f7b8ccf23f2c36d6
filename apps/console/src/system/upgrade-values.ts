import { AgentUpgradeInput, faultsOf } from '@roost/api-types/rest'
import type { Faults } from '../form/use-form.js'

/** An upgrade as its form has it: numbers are what was typed. */
export interface UpgradeValues {
  readonly version: string
  readonly canary: string
  readonly wave_percent: string
}

export const newUpgrade: UpgradeValues = { version: '', canary: '1', wave_percent: '10' }

/** Returns what the API is asked for; without a version, it chooses the newest. */
export function upgradeInput({ version, canary, wave_percent: percent }: UpgradeValues, cluster: number) {
  return {
    cluster,
    ...(version.trim() === '' ? {} : { version: version.trim() }),
    canary: numberIn(canary),
    wave_percent: numberIn(percent),
  }
}

export function checkUpgrade(values: UpgradeValues, cluster: number): Faults {
  return faultsOf(AgentUpgradeInput, upgradeInput(values, cluster))
}

function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}
