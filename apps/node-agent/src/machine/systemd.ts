import { readlinkSync } from 'node:fs'
import type { Machine } from './machine.js'

/** Returns true when systemd runs this machine. */
export function hasSystemd(machine: Machine): boolean {
  return machine.stamp('/run/systemd/system') !== undefined
}

/** Returns true when systemd runs this machine and shares the agent's namespace of mounts, which only root can see. */
export function isUnderSystemd(machine: Machine): boolean {
  return hasSystemd(machine) && mountsSeenBy('1') === mountsSeenBy('self')
}

function mountsSeenBy(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`)
  } catch {
    return undefined
  }
}
