import { readConfig } from '../../config.js'
import { kernelOf, type Machine, openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { type PlannedChange, planned } from '../../prepare/change.js'
import { commandOf, type Effect, effectsOf, runsServices } from '../../prepare/effects.js'
import { checkSettings } from '../../swift/proxy-setup/check-settings.js'
import { proxyEffect } from '../../swift/proxy-setup/proxy-effect.js'
import { type ProxyPlan, planProxy } from '../../swift/proxy-setup/proxy-plan.js'
import { exitCodes } from '../command/command-error.js'
import type { ProxyPrepareFlags } from '../command/flags.js'
import {
  announceRestart,
  applyChanges,
  orCommandError,
  printChanges,
  requireRoot,
  say,
  sayNothingChanged,
} from './preparation.js'

/** Prepares this machine's proxy for users and usage: prints each change, and makes them with `--yes`. */
export async function proxyPrepare(flags: ProxyPrepareFlags): Promise<number> {
  const config = readConfig(flags)
  const machine = openMachine(config.root)
  requireRoot(machine)
  const options = { machine, kernel: kernelOf(machine), config, accessLog: flags.accessLog }
  const plan = await orCommandError(() => planProxy(options))
  const changes = await orCommandError(() => planned(machine, plan.changes))
  if (changes.length === 0) {
    say('This proxy is prepared. There is nothing to do.')
    for (const remark of plan.remarks) say(remark)
    return exitCodes.ok
  }
  await printChanges(changes)
  for (const remark of plan.remarks) say(remark)
  const effects = announced(machine, plan, changes, config.configFile, flags)
  if (flags.yes !== true) {
    sayNothingChanged()
    return exitCodes.ok
  }
  // The proxy's program reads the rings of the machine that it runs on.
  const check = () => (machine.root === '/' ? checkSettings(machine, runCommand, config.dataDir, plan) : null)
  const remark = await orCommandError(check)
  if (remark !== null) say(`Warning: ${remark}`)
  await applyChanges(machine, config.dataDir, 'proxy', { changes, effects })
  return exitCodes.ok
}

/** Prints which services are restarted, and returns the calls of systemctl for it. */
function announced(
  machine: Machine,
  { unit, folder }: ProxyPlan,
  changes: readonly PlannedChange[],
  configFile: string,
  { restartProxy = false }: ProxyPrepareFlags,
): readonly Effect[] {
  const paths = changes.map(({ path }) => path)
  const effects = effectsOf(paths, configFile)
  const ofProxy = unit === null ? null : proxyEffect(unit.name, folder, changes)
  if (runsServices(machine)) for (const effect of effects) say(`Runs \`${commandOf(effect)}\`.`)
  if (ofProxy === null) return effects
  const option = '--restart-proxy'
  return [...effects, ...announceRestart(machine, { ...ofProxy, option, isRequested: restartProxy })]
}
