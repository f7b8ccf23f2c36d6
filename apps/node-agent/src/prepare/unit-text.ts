import type { Machine } from '../machine/machine.js'

/** The folders of systemd, the one that overrides the others first. */
const folders = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
]

/** Returns the text of a unit with its drop-ins, as systemd merges them; undefined where it is not installed. */
export function readUnitText(machine: Machine, unit: string): string | undefined {
  const main = folders.map((folder) => machine.read(`${folder}/${unit}`)).find((text) => text !== undefined)
  if (main === undefined) return undefined
  const dropIns = new Map<string, string>()
  // A drop-in of an earlier folder replaces one of the same name in a later folder.
  for (const folder of folders)
    for (const name of machine.list(`${folder}/${unit}.d`))
      if (name.endsWith('.conf') && !dropIns.has(name))
        dropIns.set(name, machine.read(`${folder}/${unit}.d/${name}`) ?? '')
  const texts = [...dropIns].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return [main, ...texts].join('\n')
}

/** Returns the values of a setting that are in force: an empty value removes those before it. */
export function settingsOf(unitText: string, name: string): readonly string[] {
  const lines = unitText.replaceAll(/\\\n\s*/g, ' ').split('\n')
  const values = lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1).trim()] : []))
  return values.slice(values.lastIndexOf('') + 1)
}
