import type { Machine } from '../../machine/machine.js'

/** An account of the machine. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** Finds an account by its name; undefined where the machine has none. */
export function findAccount(machine: Machine, name: string): Account | undefined {
  const [, , uid, gid] = rowOf(machine.read('/etc/passwd'), ([own]) => own === name) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** Finds the name of a group; undefined where the machine has none of this number. */
export function findGroupName(machine: Machine, gid: number): string | undefined {
  return rowOf(machine.read('/etc/group'), ([, , id]) => id === String(gid))?.[0]
}

function rowOf(text = '', matches: (fields: readonly string[]) => boolean): readonly string[] | undefined {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .find(matches)
}
