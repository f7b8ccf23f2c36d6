import type { Machine } from '../machine/machine.js'
import { describeFailure, type RunCommand } from '../machine/run-command.js'
import { isUnderSystemd } from '../machine/systemd.js'

/** The arguments of a call of systemctl that makes changed files count. */
export type Effect = readonly string[]

/** Returns what systemd has to do after these paths have changed. None of it interrupts a client. */
export function effectsOf(paths: readonly string[], configFile: string | null): readonly Effect[] {
  const isChanged = (start: string) => paths.some((path) => path.startsWith(start))
  const isAgentChanged =
    isChanged('/etc/systemd/system/roost-agent.service.d/') || (configFile !== null && isChanged(configFile))
  return [
    ...(isChanged('/etc/systemd/system/') ? [['daemon-reload']] : []),
    ...(isChanged('/etc/rsyslog.d/') ? [['try-restart', 'rsyslog.service']] : []),
    ...(isAgentChanged ? [['try-restart', 'roost-agent.service']] : []),
  ]
}

/** Has systemd do it; nothing where systemd does not run this machine. Rejects with the commands that failed. */
export async function runEffects(machine: Machine, run: RunCommand, effects: readonly Effect[]): Promise<void> {
  if (!runsServices(machine)) return
  const failures: string[] = []
  for (const args of effects) {
    const result = await run('systemctl', args, { deadlineMs: 120_000 })
    if (result.outcome !== 'exited' || result.exitCode !== 0)
      failures.push(`\`${commandOf(args)}\` failed: ${describeFailure(result)}`)
  }
  if (failures.length > 0) throw new Error(failures.join(' '))
}

/** Returns true if systemd runs the services of this machine, which is not a folder of another. */
export function runsServices(machine: Machine): boolean {
  return machine.root === '/' && isUnderSystemd(machine)
}

export function commandOf(effect: Effect): string {
  return `systemctl ${effect.join(' ')}`
}
