import type { Machine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import { makeChanges } from '../../prepare/apply.js'
import { describeChange, type PlannedChange } from '../../prepare/change.js'
import { commandOf, type Effect, runEffects, runsServices } from '../../prepare/effects.js'
import { openRecord, type PreparedRole } from '../../prepare/record.js'
import { CommandError } from '../command/command-error.js'

/** Throws unless this account may change the files of the machine. */
export function requireRoot(machine: Machine): void {
  if (machine.root === '/' && process.getuid?.() !== 0)
    throw new CommandError('This command changes files of the system.', { remedy: 'Run it as root.' })
}

/** Turns a sentence that a preparation throws into the end of the command. */
export async function orCommandError<T>(work: () => T | Promise<T>, before = ''): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new CommandError(`${before} ${(error as Error).message}`.trim())
  }
}

export function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}

/** Prints each change with its diff. */
export async function printChanges(changes: readonly PlannedChange[]): Promise<void> {
  for (const change of changes) process.stdout.write(await describeChange(change))
}

export function sayNothingChanged(): void {
  say('No changes were made. Run this command again with --yes to apply them.')
}

/** Makes all of the changes or none, records them for `leave`, and has the services of the machine read them. */
export async function applyChanges(
  machine: Machine,
  dataDir: string,
  role: PreparedRole,
  { changes, effects }: { readonly changes: readonly PlannedChange[]; readonly effects: readonly Effect[] },
): Promise<void> {
  try {
    await makeChanges(machine, openRecord(dataDir, role), changes)
  } catch (error) {
    throw new CommandError(`Nothing was changed: ${(error as Error).message}`)
  }
  await orCommandError(() => runEffects(machine, runCommand, effects), 'The changes were made.')
  say('Done.')
}

interface Restart {
  /** How servers read their changed configuration, and what that interrupts. */
  readonly sentence: string
  /** Null where no unit of systemd runs them. */
  readonly effect: Effect | null
  /** The option that has the command do it. */
  readonly option: string
  readonly isRequested: boolean
}

/** Prints how servers read their changed configuration, and returns the calls of systemctl for it. */
export function announceRestart(
  machine: Machine,
  { sentence, effect, option, isRequested }: Restart,
): readonly Effect[] {
  if (effect === null) {
    say(sentence)
    return []
  }
  const isOurs = isRequested && runsServices(machine)
  const command = `\`${commandOf(effect)}\``
  say(`${sentence} ${isOurs ? `Runs ${command}.` : `Run ${command} afterwards, or add ${option}.`}`)
  return isOurs ? [effect] : []
}
