import type { Machine } from '../machine/machine.js'

/** Reads udev's properties of a block device; empty where no udev runs. Every user may read them. */
export function readUdev(machine: Machine, device: string): ReadonlyMap<string, string> {
  return parseUdev(machine.read(`/run/udev/data/b${device}`) ?? '')
}

/** Parses an entry of udev's database: `E:NAME=value` lines are properties. */
function parseUdev(text: string): ReadonlyMap<string, string> {
  const properties = text.matchAll(/^E:([^=\n]+)=(.*)$/gm)
  return new Map(Array.from(properties, ([, name = '', value = '']) => [name, value]))
}
