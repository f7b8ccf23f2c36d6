import { FormatError, type Format } from '../declared-file.js'

export interface SambaSection {
  readonly name: string
  /** Names of options in lower case. */
  readonly settings: readonly (readonly [name: string, value: string])[]
}

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9._ -]*$/
const optionPattern = /^[a-z]+(?: [a-z]+)*$/
// Printable ASCII; `%` begins a substitution, blanks around a value are dropped, a backslash at the end joins the next line.
const valuePattern = /^(?![ ])[ -$&-~]+(?<![ \\])$/

/** Writes and reads smb.conf as Samba does, and refuses what Samba would ignore without a message. */
export const sambaFormat: Format<readonly SambaSection[]> = {
  encode: (sections) => sections.map(encodeSection).join('\n'),
  parse(text) {
    const sections: { name: string; settings: [string, string][] }[] = []
    const names = new Set<string>()
    for (const line of text.split('\n').map((line) => line.trim())) {
      if (line.endsWith('\\'))
        throw new FormatError(
          'A line of smb.conf ends in a backslash, which joins it with the next line. Remove the backslash.',
        )
      if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
      if (line.startsWith('[')) sections.push({ name: parseHeader(line, names), settings: [] })
      else addSetting(sections.at(-1), line)
    }
    return sections
  },
}

function encodeSection({ name, settings }: SambaSection): string {
  if (!namePattern.test(name))
    throw new FormatError(`${JSON.stringify(name)} is not a valid name of a section of smb.conf.`)
  const lines = settings.map(([option, value]) => {
    if (!optionPattern.test(option) || !valuePattern.test(value))
      throw new FormatError(
        `${JSON.stringify(value)} is not a valid value of ${option} in the section [${name}] of smb.conf.`,
      )
    return `    ${option} = ${value}\n`
  })
  return `[${name}]\n${lines.join('')}`
}

/** Samba ends a name at the first bracket, and merges sections whose names differ in case alone. */
function parseHeader(line: string, names: Set<string>): string {
  const [, name] = /^\[([^[\]]+)\]$/.exec(line) ?? []
  if (name === undefined)
    throw new FormatError(`Samba would cut off the section header ${JSON.stringify(line)}. Correct it.`)
  if (names.has(name.toLowerCase()))
    throw new FormatError(`Samba would merge the two sections ${JSON.stringify(name)}. Remove one of them.`)
  names.add(name.toLowerCase())
  return name
}

function addSetting(section: { settings: [string, string][] } | undefined, line: string): void {
  const [, option, value] = /^([^=]+?)\s*=\s*(.+)$/.exec(line) ?? []
  if (section === undefined || option === undefined || value === undefined)
    throw new FormatError(`Samba would ignore the line ${JSON.stringify(line)}. Correct or remove it.`)
  const name = option.toLowerCase().replace(/\s+/g, ' ')
  if (section.settings.some(([other]) => other === name))
    throw new FormatError(`${JSON.stringify(name)} appears twice in one section of smb.conf. Remove one of them.`)
  section.settings.push([name, value])
}
