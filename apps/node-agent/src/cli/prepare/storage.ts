import { readConfig } from '../../config.js'
import { type Machine, openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { type PlannedChange, planned } from '../../prepare/change.js'
import { type Effect, runEffects } from '../../prepare/effects.js'
import { openRecord } from '../../prepare/record.js'
import { plannedReverts, revertChanges } from '../../prepare/revert.js'
import { storageEffect } from '../../swift/storage-setup/storage-effect.js'
import { planStorage } from '../../swift/storage-setup/storage-plan.js'
import { exitCodes } from '../command/command-error.js'
import type { StorageFlags } from '../command/flags.js'
import {
  announceRestart,
  applyChanges,
  orCommandError,
  printChanges,
  requireRoot,
  say,
  sayNothingChanged,
} from './preparation.js'

/** Has this machine's storage servers send their statistics to the agent: prints each change, and makes them with `--yes`. */
export async function storagePrepare(flags: StorageFlags): Promise<number> {
  const config = readConfig(flags)
  const machine = openMachine(config.root)
  requireRoot(machine)
  const plan = await orCommandError(() => planStorage(machine, config))
  const changes = await orCommandError(() => planned(machine, plan.changes))
  if (changes.length === 0) say('These storage servers are prepared. There is nothing to do.')
  await printChanges(changes)
  for (const remark of plan.remarks) say(remark)
  if (changes.length === 0) return exitCodes.ok
  const effects = await announced(machine, config.swiftDirectory, changes, flags)
  if (flags.yes !== true) {
    sayNothingChanged()
    return exitCodes.ok
  }
  await applyChanges(machine, config.dataDir, 'storage', { changes, effects })
  return exitCodes.ok
}

/** Reverts what `storage prepare` changed: prints each change, and makes them with `--yes`. */
export async function storageLeave(flags: StorageFlags): Promise<number> {
  const config = readConfig(flags)
  const machine = openMachine(config.root)
  requireRoot(machine)
  const record = openRecord(config.dataDir, 'storage')
  const entries = await record.read()
  if (entries.length === 0) {
    say('`roost-agent storage prepare` has not changed this machine. There is nothing to undo.')
    return exitCodes.ok
  }
  const reverts = await orCommandError(() => plannedReverts(machine, entries))
  await printChanges(reverts)
  const effects = await announced(machine, config.swiftDirectory, reverts, flags)
  if (flags.yes !== true) {
    sayNothingChanged()
    return exitCodes.ok
  }
  await orCommandError(() => revertChanges(machine, record, reverts))
  await orCommandError(() => runEffects(machine, runCommand, effects), 'The changes were reverted.')
  say('Done.')
  return exitCodes.ok
}

/** Prints which servers have to be restarted, and returns the calls of systemctl for it. */
async function announced(
  machine: Machine,
  swiftDirectory: string,
  changes: readonly PlannedChange[],
  { restartServers = false }: StorageFlags,
): Promise<readonly Effect[]> {
  const paths = changes.map(({ path }) => path)
  const effect = await storageEffect(machine, runCommand, swiftDirectory, paths)
  if (effect === null) return []
  return announceRestart(machine, { ...effect, option: '--restart-servers', isRequested: restartServers })
}
