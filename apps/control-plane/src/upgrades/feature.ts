import type { Services } from '@roost/api-types/rpc'
import { every } from '../jobs/every.js'
import { UpgradeRunner } from './runner.js'
import type { UpgradeRunnerOptions } from './runner.js'
import { createUpgradeService } from './service.js'
import type { UpgradeServiceOptions } from './service.js'

export interface UpgradeFeature {
  readonly services: Pick<Services, 'agentUpgrades'>
  stop(): Promise<void>
}

/** How often agents are asked for their progress, and upgrades that a crash interrupted are continued. */
const checkEveryMs = 3_000

/** Upgrades of agents. */
export function createUpgrades(options: UpgradeRunnerOptions & Omit<UpgradeServiceOptions, 'wake'>): UpgradeFeature {
  const runner = new UpgradeRunner(options)
  const wake = () => runner.wake()
  const check = every(checkEveryMs, 'advance upgrades', async () => wake(), options.log)
  return {
    services: { agentUpgrades: createUpgradeService({ ...options, wake }) },
    async stop() {
      await check.stop()
      await runner.stop()
    },
  }
}
