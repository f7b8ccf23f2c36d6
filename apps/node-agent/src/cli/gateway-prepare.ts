import { type AgentConfig, readConfig } from '../config.js'
import { type Machine, openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import { setupsWith } from '../shares/index.js'
import { detectNfsServer } from '../shares/nfs-server.js'
import { type Preparation, preparationsFor, prepare } from '../shares/prepare.js'
import { CommandError, exitCodes } from './command-error.js'
import type { PrepareFlags } from './flags.js'

/** Lets this machine's servers read the files of shares: says what that takes, and does it with `--yes`. */
export async function gatewayPrepare(flags: PrepareFlags): Promise<number> {
  const { machine, preparations } = missingPreparations(readConfig(flags))
  if (preparations.length === 0) {
    say('The share servers of this machine read the files of Roost. There is nothing to prepare.')
    return exitCodes.ok
  }
  for (const { sentence } of preparations) say(sentence)
  if (flags.yes === true) {
    await doPreparations(machine, preparations)
  } else say('No changes were made. Run this command again with --yes to apply them.')
  return exitCodes.ok
}

export async function doPreparations(machine: Machine, preparations: readonly Preparation[]): Promise<void> {
  try {
    await prepare(machine, runCommand, preparations)
  } catch (error) {
    throw new CommandError(`The share servers of this machine could not be prepared: ${(error as Error).message}`)
  }
  say('Done. Servers that are already running load these settings at the first deployment.')
}

/** Throws with the remedy where a server could not be prepared. */
export function missingPreparations({ root, gateway }: AgentConfig): {
  readonly machine: Machine
  readonly preparations: readonly Preparation[]
} {
  const machine = openMachine(root)
  try {
    return {
      machine,
      preparations: preparationsFor(machine, setupsWith(machine, gateway.nfs ?? detectNfsServer(machine))),
    }
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
