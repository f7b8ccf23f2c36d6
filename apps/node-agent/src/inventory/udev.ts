import type { Machine } from '../machine/machine.js'

/** What udev found out about a block device, by property name; empty where no udev runs. Anybody may read it. */
export function readUdev(machine: Machine, device: string): ReadonlyMap<string, string> {
  return parseUdev(machine.read(`/run/udev/data/b${device}`) ?? '')
}

/** Parses an entry of udev's database: `E:NAME=value` lines are properties. */
function parseUdev(text: string): ReadonlyMap<string, string> {
  const properties = text.matchAll(/^E:([^=\n]+)=(.*)$/gm)
  return new Map(Array.from(properties, ([, name = '', value = '']) => [name, value]))
}
