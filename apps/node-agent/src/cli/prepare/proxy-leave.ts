import { type AgentConfig, readConfig } from '../../config.js'
import { kernelOf, type Machine, openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { describeChange } from '../../prepare/change.js'
import { commandOf, type Effect, effectsOf, runEffects, runsServices } from '../../prepare/effects.js'
import { openRecord } from '../../prepare/record.js'
import { revertChanges } from '../../prepare/revert.js'
import { proxyEffect } from '../../swift/proxy-setup/proxy-effect.js'
import { planProxyLeaving, type ProxyLeaving } from '../../swift/proxy-setup/proxy-leaving.js'
import { findProxyUnit } from '../../swift/proxy-setup/proxy-unit.js'
import { fileName, folderOf } from '../../swift/users/location.js'
import { findProxies } from '../../swift/users/proxy-process.js'
import { CommandError, exitCodes } from '../command/command-error.js'
import type { ProxyLeaveFlags } from '../command/flags.js'
import { orCommandError, requireRoot, say, sayNothingChanged } from './preparation.js'

/** Reverts what `proxy prepare` changed: prints each change, and makes them with `--yes`. */
export async function proxyLeave(flags: ProxyLeaveFlags): Promise<number> {
  const config = readConfig(flags)
  const machine = openMachine(config.root)
  requireRoot(machine)
  const record = openRecord(config.dataDir, 'proxy')
  const entries = await record.read()
  if (entries.length === 0) {
    say('`roost-agent proxy prepare` has not changed this machine. There is nothing to undo.')
    return exitCodes.ok
  }
  const leaving = await orCommandError(() => planProxyLeaving(machine, folderOf(config.swiftDirectory), entries))
  requireConsent(machine, config, leaving, flags)
  for (const change of leaving.reverts)
    process.stdout.write(change.path.endsWith(fileName) ? `${change.sentence}\n` : await describeChange(change))
  const effects = announced(machine, config, leaving, flags)
  if (flags.yes !== true) {
    sayNothingChanged()
    return exitCodes.ok
  }
  await orCommandError(() => revertChanges(machine, record, leaving.reverts))
  await orCommandError(() => runEffects(machine, runCommand, effects), 'The changes were reverted.')
  say('Done.')
  return exitCodes.ok
}

/** Throws where users would lose their login, or a running proxy its configuration, without the caller's consent. */
function requireConsent(
  machine: Machine,
  { swiftDirectory }: AgentConfig,
  { users, removesFolder }: ProxyLeaving,
  { endUsers, restartProxy }: ProxyLeaveFlags,
): void {
  if (users > 0 && endUsers !== true)
    throw new CommandError(`${users} users of Roost log in to this proxy.`, {
      remedy: 'Remove them and deploy, or end their logins on this proxy with --end-users.',
    })
  const folder = folderOf(swiftDirectory)
  const isRunning = findProxies(kernelOf(machine)).some((proxy) => proxy.configuration.replace(/\/+$/, '') === folder)
  if (removesFolder && isRunning && runsServices(machine) && restartProxy !== true)
    throw new CommandError(
      `The running proxy reads ${folder}, which is removed, so that its next reload would end it.`,
      {
        remedy:
          'Add --restart-proxy. A restart loses the requests that are under way: take this node out of the load balancer meanwhile.',
      },
    )
}

/** Prints which services are restarted, and returns the calls of systemctl for it. */
function announced(
  machine: Machine,
  { configFile, swiftDirectory }: AgentConfig,
  { reverts }: ProxyLeaving,
  { restartProxy = false }: ProxyLeaveFlags,
): readonly Effect[] {
  const paths = reverts.map(({ path }) => path)
  const unit = findProxyUnit(machine, kernelOf(machine), swiftDirectory)
  const ofProxy = unit === null || !restartProxy ? null : proxyEffect(unit.name, folderOf(swiftDirectory), reverts)
  const effects = [...effectsOf(paths, configFile), ...(ofProxy === null ? [] : [ofProxy.effect])]
  if (runsServices(machine)) for (const effect of effects) say(`Runs \`${commandOf(effect)}\`.`)
  return effects
}
