import type { Machine } from '../../machine/machine.js'
import type { MountOwner } from '../desired/mounts.js'

/** Returns the ids of an account. Throws when it is not in the machine's own /etc/passwd. */
export function readOwner(machine: Machine, name: string): MountOwner {
  const lines = (machine.read('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'))
  const [, , uid, gid] = lines.find(([account]) => account === name) ?? []
  if (uid === undefined || gid === undefined)
    throw new Error(`There is no account ${name} in /etc/passwd. Set gateway.account to an account that exists.`)
  return { name, uid: Number(uid), gid: Number(gid) }
}
