import { readConfig } from '../config.js'
import { openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import { leave, type Leaving, leavingOf, type Served } from '../shares/leave.js'
import { locationsOf } from '../shares/share-locations.js'
import { openServers } from '../shares/share-servers.js'
import { CommandError, exitCodes } from './command-error.js'
import type { LeaveFlags } from './flags.js'

/** Takes Roost off this machine's servers: says what that takes and what ends, and does it with `--yes`. */
export async function gatewayLeave(flags: LeaveFlags): Promise<number> {
  const { root, gateway } = readConfig(flags)
  const machine = openMachine(root)
  const { all } = openServers({ machine, run: runCommand, gateway, locations: locationsOf(gateway) })
  const leaving = orCommandError(() => leavingOf(machine, all))
  if (leaving.departures.length === 0) {
    say('The share servers of this machine do not read any files of Roost. There is nothing to undo.')
    return exitCodes.ok
  }
  if (leaving.served.length > 0 && flags.endShares !== true)
    throw new CommandError(`Shares are served from this machine: ${leaving.served.map(shown).join('; ')}.`, {
      remedy:
        'Disable the shares and deploy, which uploads the files that clients wrote, or end the shares now with --end-shares.',
    })
  for (const one of leaving.served) say(`Ends the shares of ${shown(one)}.`)
  for (const { sentence } of leaving.departures) say(sentence)
  if (flags.yes !== true) {
    say('No changes were made. Run this command again with --yes to apply them.')
    return exitCodes.ok
  }
  try {
    await leave(machine, runCommand, leaving)
  } catch (error) {
    throw new CommandError(
      `Roost could not be removed from the share servers of this machine: ${(error as Error).message}`,
    )
  }
  say('Done.')
  return exitCodes.ok
}

function orCommandError(work: () => Leaving): Leaving {
  try {
    return work()
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

function shown({ server, text }: Served): string {
  const folders = server.foldersOf(text)
  return `${server.daemon} (${folders.length === 0 ? `all shares in ${server.file}` : folders.join(', ')})`
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
