/** The sections of a file in the syntax of Python's configparser, which Swift uses. */
export type Ini = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Parses configparser's syntax: `[section]`, `key = value` or `key: value`, comments on lines of their own, and values
 * continued on indented lines. Keys are lower-cased; settings of `[DEFAULT]` apply to every section. A later file or section of
 * the same name is merged into the earlier one.
 */
export function parseIni(...texts: readonly string[]): Ini {
  return parse(texts, (key) => key.toLowerCase())
}

/** Parses the same syntax with the case of keys, as Swift's servers do: some keys contain the name of a user. */
export function parseCasedIni(...texts: readonly string[]): Ini {
  return parse(texts, (key) => key)
}

type KeyOf = (key: string) => string

function parse(texts: readonly string[], keyOf: KeyOf): Ini {
  const sections = new Map<string, Map<string, string>>()
  for (const text of texts) readSections(text, sections, keyOf)
  const defaults = sections.get('DEFAULT') ?? new Map<string, string>()
  const merged = [...sections].map(([name, settings]) => [name, new Map([...defaults, ...settings])] as const)
  return new Map(merged)
}

function readSections(text: string, sections: Map<string, Map<string, string>>, keyOf: KeyOf): void {
  let settings: Map<string, string> | undefined
  let last: string | undefined
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue
    const section = /^\[([^\]]+)\]/.exec(line)?.[1]
    if (section !== undefined) {
      settings = sections.get(section) ?? new Map()
      sections.set(section, settings)
      last = undefined
    } else if (/^\s/.test(line) && settings !== undefined && last !== undefined)
      settings.set(last, `${settings.get(last)}\n${line.trim()}`)
    else last = readSetting(line, settings, keyOf)
  }
}

/** Adds a setting and returns its key: the next lines may continue the value. */
function readSetting(line: string, settings: Map<string, string> | undefined, keyOf: KeyOf): string | undefined {
  const match = /^\s*([^=:]+?)\s*[=:]\s*(.*)$/.exec(line)
  const [, key, value] = match ?? []
  if (key === undefined || value === undefined || settings === undefined) return undefined
  settings.set(keyOf(key), value.trimEnd())
  return keyOf(key)
}

/** Returns true for the values that Swift accepts as true. */
export function isTrue(value: string | undefined): boolean {
  return /^(true|1|yes|on|t|y)$/i.test(value ?? '')
}
