import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CommandResult, describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { spelledSettings } from '../spelled-settings.js'
import { sambaFormat, type SambaSection } from './format.js'

/** Sections as `testparm -s` prints them: options that are not at their defaults, by name in lower case. */
export type PrintedSections = ReadonlyMap<string, ReadonlyMap<string, string>>

const deadlineMs = 20_000

/** Reads a configuration with Samba's own reader, from a private copy. Rejects where it refuses it. */
export async function readBySamba(text: string, run: RunCommand): Promise<PrintedSections> {
  const folder = await mkdtemp(join(tmpdir(), 'roost-testparm-'))
  try {
    const copy = join(folder, 'smb.conf')
    await writeFile(copy, text, { mode: 0o600 })
    const result = await run('testparm', ['-s', '--suppress-prompt', copy], { deadlineMs, maxOutputBytes: 64 << 20 })
    if (result.exitCode !== 0) throw new Error(`testparm: ${refusalOf(result)}`)
    return parsePrinted(result.stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// testparm prints this for every configuration, and at the end of each that it refuses.
const routine = /^(?:$|Load smb config files from |Weak crypto is allowed |Error loading services)/

/** Returns the last complaint, which is the reason of the refusal. */
function refusalOf(result: CommandResult): string {
  const complaint = result.stderr.split('\n').findLast((line) => !routine.test(line))
  return result.outcome === 'exited' && complaint !== undefined ? complaint : describeFailure(result)
}

function parsePrinted(text: string): PrintedSections {
  const sections = new Map<string, Map<string, string>>()
  let current = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, header] = /^\[(.+)\]$/.exec(line) ?? []
    if (header !== undefined) sections.set(header, (current = new Map()))
    const [, option, value = ''] = /^\t(.+?) = ?(.*)$/.exec(line) ?? []
    if (option !== undefined) current.set(option.toLowerCase(), value)
  }
  return sections
}

/** The defaults of Samba, which testparm leaves out. */
const builtIn = new Map(spelledSettings('samba').map(({ spelling }) => [spelling.option, spelling.absent]))

/** Returns the first difference between what Samba reads and what it should, as a sentence. */
export function differenceFrom(printed: PrintedSections, expected: readonly SambaSection[]): string | undefined {
  const global = printed.get('global') ?? new Map<string, string>()
  for (const { name, settings } of expected) {
    const section = printed.get(name)
    if (section === undefined) return `Samba does not read the section [${name}]`
    for (const [option, value] of settings) {
      const read = section.get(option) ?? global.get(option) ?? builtIn.get(option) ?? ''
      if (plain(option, read) !== plain(option, value)) return `Samba reads '${option}' of [${name}] as '${read}'`
    }
  }
  return undefined
}

/** Commas and blanks separate alike, switches are written in any case, and modes with any number of zeros before. */
function plain(option: string, value: string): string {
  if (option.endsWith(' mask')) return Number.parseInt(value, 8).toString(8)
  const items = value.split(/[\s,]+/).join(' ')
  return /^(?:yes|no)$/i.test(items) ? items.toLowerCase() : items
}

/** Returns the path of a section, and its lists of accounts and clients. */
export function accessOf({ settings }: SambaSection) {
  const of = (option: string): string | undefined => settings.find(([name]) => name === option)?.[1]
  const items = (option: string): readonly string[] => (of(option) ?? '').split(/[\s,]+/).filter(Boolean)
  return {
    path: of('path'),
    accounts: items('valid users'),
    clients: items('hosts allow'),
  }
}

/** Parses our sections of a file; none where it cannot be read. */
export function sectionsOf(text: string): readonly SambaSection[] {
  try {
    return sambaFormat.parse(text)
  } catch {
    return []
  }
}
