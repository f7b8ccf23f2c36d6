import { posix } from 'node:path'
import type { Machine } from '../machine/machine.js'
import { unifiedDiff } from '../machine/unified-diff.js'
import { absent, isSame, type PathState, readState } from './path-state.js'

/** One change of the machine that prepares it for the agent. */
export interface Change {
  readonly path: string
  /** For an operator, before the change is made. */
  readonly sentence: string
  readonly after: PathState
}

/** A change together with the state that it replaces. */
export interface PlannedChange extends Change {
  readonly before: PathState
}

/** Returns the changes that the machine does not have yet, with the folders that they need and a backup of each file. */
export async function planned(machine: Machine, changes: readonly Change[]): Promise<readonly PlannedChange[]> {
  const plan: PlannedChange[] = []
  for (const change of changes) {
    const before = await readState(machine, change.path)
    if (isSame(before, change.after)) continue
    await addFolders(machine, change.path, plan)
    if (before.kind === 'file') {
      const path = `${change.path}.before-roost`
      const backup: PathState = before
      if ((await readState(machine, path)).kind === 'absent')
        plan.push({ path, sentence: `Copies ${change.path} to ${path}.`, before: absent, after: backup })
    }
    plan.push({ ...change, before })
  }
  return plan
}

/** Adds the folders above a path that do not exist, so that they are removed again. */
async function addFolders(machine: Machine, path: string, plan: PlannedChange[]): Promise<void> {
  const folder = posix.dirname(path)
  if (folder === '/' || plan.some((one) => one.path === folder)) return
  if ((await readState(machine, folder)).kind !== 'absent') return
  await addFolders(machine, folder, plan)
  const after: PathState = { kind: 'folder', mode: 0o755, ...ownerOfFolders() }
  plan.push({ path: folder, sentence: `Creates the folder ${folder}.`, before: absent, after })
}

function ownerOfFolders(): { readonly uid: number; readonly gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
}

/** Returns the text of a change for an operator: its sentence, and the diff of a file. */
export async function describeChange({ path, sentence, before, after }: PlannedChange): Promise<string> {
  const isBackup = path.endsWith('.before-roost')
  if (isBackup || (after.kind !== 'file' && before.kind !== 'file')) return `${sentence}\n`
  return `${sentence}\n${await unifiedDiff(path, textOf(before), textOf(after))}`
}

function textOf(state: PathState): string {
  return state.kind === 'file' ? state.text : ''
}
