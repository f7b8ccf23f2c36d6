import type { Machine } from '../machine/machine.js'
import type { PlannedChange } from './change.js'
import { writeState } from './path-state.js'
import type { Entry, PreparationRecord } from './record.js'

/** Makes all of the changes or none: when one fails, those before it are reverted. Rejects with its reason. */
export async function makeChanges(
  machine: Machine,
  record: PreparationRecord,
  changes: readonly PlannedChange[],
): Promise<void> {
  if (changes.length === 0) return
  const earlier = await record.read()
  // It is written first: a process that is killed leaves a record of more changes than were made, never of fewer.
  await record.write(merged(earlier, changes))
  const made: PlannedChange[] = []
  try {
    for (const change of changes) {
      made.push(change)
      await writeState(machine, change.path, change.after)
    }
  } catch (error) {
    for (const { path, before } of made.toReversed()) await writeState(machine, path, before)
    await record.write(earlier)
    throw error
  }
}

/** A path that was changed before keeps its first state. */
function merged(earlier: readonly Entry[], changes: readonly PlannedChange[]): readonly Entry[] {
  const known = new Map(earlier.map((entry) => [entry.path, entry]))
  for (const { path, before, after } of changes)
    known.set(path, { path, before: known.get(path)?.before ?? before, after })
  return [...known.values()]
}
