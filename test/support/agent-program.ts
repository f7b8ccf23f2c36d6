import { join } from 'node:path'
import { repository } from './control-plane.js'
import { type Ended, runToEnd } from './processes.js'

export const agentProgram = join(repository, 'apps/node-agent/bin/roost-agent.js')

/** Variables of an agent that knows nothing of the caller's own. */
export function agentEnv(dataDir: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, ROOST_AGENT_DATA_DIR: dataDir }
}

/** Runs a command of the agent to its end, whatever its exit code. */
export function runAgent(dataDir: string, args: readonly string[]): Promise<Ended> {
  return runToEnd(process.execPath, [agentProgram, ...args], { env: agentEnv(dataDir) })
}
