import { type AgentConfig, readConfig } from '../../config.js'
import { type Machine, openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import type { PlannedChange } from '../../prepare/change.js'
import { effectsOf, runEffects, runsServices } from '../../prepare/effects.js'
import { openRecord, type PreparationRecord } from '../../prepare/record.js'
import { plannedReverts, revertChanges } from '../../prepare/revert.js'
import { leave, type Leaving, leavingOf, type Served } from '../../shares/leave.js'
import { locationsOf } from '../../shares/share-locations.js'
import { openServers } from '../../shares/share-servers.js'
import { unifiedDiff } from '../../machine/unified-diff.js'
import { CommandError, exitCodes } from '../command/command-error.js'
import type { LeaveFlags } from '../command/flags.js'
import { describeFiles, drainShares, isDrained, lockState, readRemaining, type Remaining } from './drain.js'
import { orCommandError, printChanges, say, sayNothingChanged } from './preparation.js'

const unit = 'roost-agent.service'

/** Takes Roost off this machine's servers: says what that takes and what ends, and does it with `--yes`. */
export async function gatewayLeave(flags: LeaveFlags): Promise<number> {
  const config = readConfig(flags)
  const machine = openMachine(config.root)
  const { all } = openServers({
    machine,
    run: runCommand,
    gateway: config.gateway,
    locations: locationsOf(config.gateway),
  })
  const leaving = await orCommandError(() => leavingOf(machine, all))
  const record = openRecord(config.dataDir, 'gateway')
  const reverts = await orCommandError(async () => plannedReverts(machine, await record.read()))
  const remaining = await orCommandError(() => readRemaining(config))
  if (leaving.departures.length + reverts.length === 0 && isDrained(remaining)) {
    say('The share servers of this machine do not read any files of Roost. There is nothing to undo.')
    return exitCodes.ok
  }
  if (leaving.served.length > 0 && flags.endShares !== true)
    throw new CommandError(`Shares are served from this machine: ${leaving.served.map(shown).join('; ')}.`, {
      remedy:
        'Disable the shares and deploy, or end them now with --end-shares. Both upload the files that clients wrote.',
    })
  await printLeaving(machine, leaving, reverts)
  if (!isDrained(remaining)) sayDrain(remaining, flags)
  if (flags.yes !== true) {
    sayNothingChanged()
    return exitCodes.ok
  }
  const failure = 'Roost could not be removed from the share servers of this machine:'
  const end = () => orCommandError(() => leave(machine, runCommand, leaving), failure)
  if (isDrained(remaining)) await end()
  else await withoutAgent(machine, config, flags, end)
  await orCommandError(() => revertUnit(machine, record, reverts))
  say('Done.')
  return exitCodes.ok
}

function sayDrain(remaining: Remaining, { force }: LeaveFlags): void {
  const { mounts, files } = remaining
  if (files > 0 && force === true)
    say(`${describeFiles(remaining)} that clients wrote are not in Swift, and are left so.`)
  else if (files > 0) say(`Waits until ${describeFiles(remaining)} that clients wrote are in Swift.`)
  if (mounts.length > 0) say(`Ends the mounts ${mounts.join(', ')}.`)
}

/** Ends what is served and then the mounts, while no agent restores them; an agent that ran runs again afterwards. */
async function withoutAgent(
  machine: Machine,
  config: AgentConfig,
  flags: LeaveFlags,
  end: () => Promise<void>,
): Promise<void> {
  const isActive =
    runsServices(machine) &&
    (await runCommand('systemctl', ['is-active', '--quiet', unit], { deadlineMs: 10_000 })).exitCode === 0
  if (isActive) await orCommandError(() => runEffects(machine, runCommand, [['stop', unit]]))
  try {
    const unlock = await lockState(config)
    try {
      await end()
      await drainShares(config, flags)
    } finally {
      unlock()
    }
  } finally {
    if (isActive) await orCommandError(() => runEffects(machine, runCommand, [['start', unit]]))
  }
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
