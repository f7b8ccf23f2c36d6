import { type AgentConfig, readConfig } from '../../config.js'
import { type Machine, openMachine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { makeChanges } from '../../prepare/apply.js'
import { type Change, planned } from '../../prepare/change.js'
import { commandOf, effectsOf, runEffects, runsServices } from '../../prepare/effects.js'
import { openRecord } from '../../prepare/record.js'
import { unitOfGateway } from '../../shares/gateway-unit.js'
import { setupsWith } from '../../shares/index.js'
import { detectNfsServer } from '../../shares/nfs-server.js'
import { type Preparation, preparationsFor, prepare } from '../../shares/prepare.js'
import { unifiedDiff } from '../../machine/unified-diff.js'
import { CommandError, exitCodes } from '../command/command-error.js'
import type { PrepareFlags } from '../command/flags.js'
import { orCommandError, printChanges, say, sayNothingChanged } from './preparation.js'

/** What a gateway lacks before its first deployment. */
export interface MissingPreparations {
  readonly machine: Machine
  /** Changes of the servers of shares. */
  readonly preparations: readonly Preparation[]
  /** Changes of the unit of the agent. */
  readonly unit: readonly Change[]
}

/** Lets this machine's servers read the files of shares: says what that takes, and does it with `--yes`. */
export async function gatewayPrepare(flags: PrepareFlags): Promise<number> {
  const config = readConfig(flags)
  const missing = missingPreparations(config)
  if (missing.preparations.length === 0 && missing.unit.length === 0) {
    say('The share servers of this machine read the files of Roost. There is nothing to prepare.')
    return exitCodes.ok
  }
  await printPreparations(missing)
  if (flags.yes === true) {
    await doPreparations(missing, config)
  } else sayNothingChanged()
  return exitCodes.ok
}

async function printPreparations({ machine, preparations, unit }: MissingPreparations): Promise<void> {
  for (const { path, sentence, content } of preparations)
    process.stdout.write(`${sentence}\n${await unifiedDiff(path, machine.read(path) ?? '', content)}`)
  await printChanges(await planned(machine, unit))
  if (runsServices(machine)) for (const effect of unitEffects(unit)) say(`Runs \`${commandOf(effect)}\`.`)
}

function unitEffects(unit: readonly Change[]) {
  const paths = unit.map(({ path }) => path)
  return effectsOf(paths, null)
}

export async function doPreparations(
  { machine, preparations, unit }: MissingPreparations,
  { dataDir }: Pick<AgentConfig, 'dataDir'>,
): Promise<void> {
  try {
    await prepare(machine, runCommand, preparations)
    await makeChanges(machine, openRecord(dataDir, 'gateway'), await planned(machine, unit))
  } catch (error) {
    throw new CommandError(`The share servers of this machine could not be prepared: ${(error as Error).message}`)
  }
  await orCommandError(() => runEffects(machine, runCommand, unitEffects(unit)), 'The changes were made.')
  say('Done. Servers that are already running load these settings at the first deployment.')
}

/** Throws with the remedy where a server could not be prepared. */
export function missingPreparations({ root, gateway }: AgentConfig): MissingPreparations {
  const machine = openMachine(root)
  try {
    const setups = setupsWith(machine, gateway.nfs ?? detectNfsServer(machine))
    return { machine, preparations: preparationsFor(machine, setups), unit: unitOfGateway(machine) }
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
