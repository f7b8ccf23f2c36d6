import { readConfig } from '../../config.js'
import { type Machine, openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import type { PlannedChange } from '../../prepare/change.js'
import { effectsOf, runEffects } from '../../prepare/effects.js'
import { openRecord, type PreparationRecord } from '../../prepare/record.js'
import { plannedReverts, revertChanges } from '../../prepare/revert.js'
import { leave, type Leaving, leavingOf, type Served } from '../../shares/leave.js'
import { locationsOf } from '../../shares/share-locations.js'
import { openServers } from '../../shares/share-servers.js'
import { unifiedDiff } from '../../machine/unified-diff.js'
import { CommandError, exitCodes } from '../command/command-error.js'
import type { LeaveFlags } from '../command/flags.js'
import { orCommandError, printChanges, say, sayNothingChanged } from './preparation.js'

/** Takes Roost off this machine's servers: says what that takes and what ends, and does it with `--yes`. */
export async function gatewayLeave(flags: LeaveFlags): Promise<number> {
  const { root, gateway, dataDir } = readConfig(flags)
  const machine = openMachine(root)
  const { all } = openServers({ machine, run: runCommand, gateway, locations: locationsOf(gateway) })
  const leaving = await orCommandError(() => leavingOf(machine, all))
  const record = openRecord(dataDir, 'gateway')
  const reverts = await orCommandError(async () => plannedReverts(machine, await record.read()))
  if (leaving.departures.length === 0 && reverts.length === 0) {
    say('The share servers of this machine do not read any files of Roost. There is nothing to undo.')
    return exitCodes.ok
  }
  if (leaving.served.length > 0 && flags.endShares !== true)
    throw new CommandError(`Shares are served from this machine: ${leaving.served.map(shown).join('; ')}.`, {
      remedy:
        'Disable the shares and deploy, which uploads the files that clients wrote, or end the shares now with --end-shares.',
    })
  await printLeaving(machine, leaving, reverts)
  if (flags.yes !== true) {
    sayNothingChanged()
    return exitCodes.ok
  }
  const failure = 'Roost could not be removed from the share servers of this machine:'
  await orCommandError(() => leave(machine, runCommand, leaving), failure)
  await orCommandError(() => revertUnit(machine, record, reverts))
  say('Done.')
  return exitCodes.ok
}

async function printLeaving(
  machine: Machine,
  { served, departures }: Leaving,
  reverts: readonly PlannedChange[],
): Promise<void> {
  for (const one of served) say(`Ends the shares of ${shown(one)}.`)
  for (const { path, sentence, content } of departures)
    process.stdout.write(
      `${sentence}\n${content === null ? '' : await unifiedDiff(path, machine.read(path) ?? '', content)}`,
    )
  await printChanges(reverts)
}

/** Reverts the unit of the agent last: until then the agent has the rights that the servers need. */
async function revertUnit(
  machine: Machine,
  record: PreparationRecord,
  reverts: readonly PlannedChange[],
): Promise<void> {
  await revertChanges(machine, record, reverts)
  const paths = reverts.map(({ path }) => path)
  await runEffects(machine, runCommand, effectsOf(paths, null))
}

function shown({ server, text }: Served): string {
  const folders = server.foldersOf(text)
  return `${server.daemon} (${folders.length === 0 ? `all shares in ${server.file}` : folders.join(', ')})`
}
