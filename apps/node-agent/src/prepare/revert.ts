import { posix } from 'node:path'
import type { Machine } from '../machine/machine.js'
import type { PlannedChange } from './change.js'
import { isSame, type PathState, readState, writeState } from './path-state.js'
import type { Entry, PreparationRecord } from './record.js'

/**
 * Returns the changes that give every path its state from before, the last one first, after `others`. Folders that have other files
 * stay. Throws a sentence for a file that cannot be reverted.
 */
export async function plannedReverts(
  machine: Machine,
  entries: readonly Entry[],
  others: readonly PlannedChange[] = [],
): Promise<readonly PlannedChange[]> {
  const reverts: PlannedChange[] = [...others]
  for (const entry of entries.toReversed()) {
    const now = await readState(machine, entry.path)
    const after = await earlierState(entry, now)
    if (now.kind === 'absent' && after.kind === 'kernel') continue // another kernel runs now
    if (!isSame(now, after))
      reverts.push({ path: entry.path, sentence: sentenceOf(entry, now, after), before: now, after })
  }
  return withoutSharedFolders(machine, reverts)
}

/** Reverts the changes, and removes the record. */
export async function revertChanges(
  machine: Machine,
  record: PreparationRecord,
  reverts: readonly PlannedChange[],
): Promise<void> {
  for (const { path, after } of reverts) await writeState(machine, path, after)
  if ((await record.read()).length > 0) await record.write([])
}

/** Returns the state to restore; a file that was edited since keeps these edits. */
async function earlierState({ path, before, after }: Entry, now: PathState): Promise<PathState> {
  if (now.kind === 'absent' || isSame(now, after) || before.kind !== 'file' || now.kind !== 'file') return before
  if (isSame(now, before) || after.kind !== 'file' || now.text === after.text) return before
  const { applyPatch, reversePatch, structuredPatch } = await import('diff')
  const patch = reversePatch(structuredPatch(path, path, before.text, after.text, '', '', { context: 0 }))
  const text = applyPatch(now.text, patch)
  if (text === false)
    throw new Error(
      `${path} was edited where Roost had changed it, so that the change cannot be reverted. Compare it with ${path}.before-roost and restore it by hand.`,
    )
  return { ...now, text }
}

function sentenceOf({ path, before, after }: Entry, now: PathState, state: PathState): string {
  if (state.kind === 'absent') {
    const isEdited = now.kind === 'file' && !isSame(now, after)
    return `Removes ${path}.${isEdited ? ' It was edited since; the edits are in the diff.' : ''}`
  }
  if (state.kind === 'kernel') return `Sets ${path} to ${state.text} again.`
  if (isSame(state, before)) return `Restores ${path}.`
  return `Removes from ${path} what Roost added, and keeps what was edited since.`
}

/** Leaves out folders that have files of others. */
function withoutSharedFolders(machine: Machine, reverts: readonly PlannedChange[]): readonly PlannedChange[] {
  const removed = new Set(reverts.filter(({ after }) => after.kind === 'absent').map(({ path }) => path))
  const isKept = ({ path, before, after }: PlannedChange) =>
    before.kind === 'folder' &&
    after.kind === 'absent' &&
    machine.list(path).some((name) => !removed.has(posix.join(path, name)))
  return reverts.filter((one) => {
    if (isKept(one)) removed.delete(one.path)
    return removed.has(one.path) || one.after.kind !== 'absent'
  })
}
