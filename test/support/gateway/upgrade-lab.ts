import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentUpgrade, AgentUpgradeProgress } from '@roost/api-types/agent'
import type { TestAgentOptions } from '../agents/test-agent.js'

const signature = `${'A'.repeat(86)}==`

/** Offers a package of the agent with something in place of its content and signature. Returns what removes it. */
export async function offerPackage(dataDir: string, version: string): Promise<() => Promise<void>> {
  const folder = join(dataDir, 'packages')
  const file = join(folder, `roost-agent_${version}_amd64.deb`)
  await mkdir(folder, { recursive: true })
  await writeFile(file, 'package')
  await writeFile(`${file}.sig`, signature)
  return () => rm(folder, { recursive: true, force: true })
}

/** The part of an agent that installs upgrades, with these answers; `null`: an agent that accepts none. */
export function upgradesOf(
  answer: ((wanted: AgentUpgrade) => AgentUpgradeProgress) | null,
): NonNullable<TestAgentOptions['upgrades']> {
  return {
    capabilities: answer === null ? [] : ['upgrade'],
    advance: async (wanted) => answer?.(wanted) ?? { state: 'refused', message: '' },
    connected: async () => {},
    stop: async () => {},
  }
}
