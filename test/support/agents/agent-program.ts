import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { repository } from '../http/control-plane.js'
import { type ProcessResult, runToEnd } from '../programs/processes.js'

export const agentProgram = join(repository, 'apps/node-agent/bin/roost-agent.js')

/** Variables of an agent that knows nothing of the caller's own. */
export function agentEnv(dataDir: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, ROOST_AGENT_DATA_DIR: dataDir }
}

/** Runs a command of the agent to its end, whatever its exit code. */
export function runAgent(dataDir: string, args: readonly string[]): Promise<ProcessResult> {
  return runToEnd(process.execPath, [agentProgram, ...args], { env: agentEnv(dataDir) })
}

export interface AgentProcess {
  readonly pid: number
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>
  /** Everything that it wrote so far. */
  output(): string
  /** Ends it as an operator would (SIGTERM) and answers its exit code. */
  stop(): Promise<number | null>
  kill9(): Promise<void>
}

/** Starts the agent on a state directory that is enrolled. */
export function startAgentProcess(dataDir: string, args: readonly string[] = []): AgentProcess {
  const child = spawn(process.execPath, [agentProgram, 'run', ...args], {
    env: agentEnv(dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return {
    pid: child.pid as number,
    ended,
    output: () => output,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    async kill9() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
