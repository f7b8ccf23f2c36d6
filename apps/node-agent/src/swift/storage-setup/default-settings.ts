/** A setting of `[DEFAULT]`. */
interface Setting {
  readonly key: string
  readonly value: string
}

/** Sets defaults in a configuration, and keeps every other line: Swift refuses a file that has a setting twice. */
export function withDefaults(text: string, settings: readonly Setting[]): string {
  const lines = text.split('\n')
  const isOfDefaults = defaultsOf(lines)
  const missing = settings.filter(({ key, value }) => {
    const at = lines.findIndex((line, i) => isOfDefaults[i] === true && new RegExp(`^\\s*${key}\\s*[=:]`).test(line))
    if (at >= 0) lines[at] = `${key} = ${value}${lines[at]?.endsWith('\r') === true ? '\r' : ''}`
    return at < 0
  })
  if (missing.length === 0) return lines.join('\n')
  const header = lines.findIndex((line) => line.startsWith('[DEFAULT]'))
  const end = lines[header]?.endsWith('\r') === true ? '\r' : ''
  const added = [
    '# Written by `roost-agent storage prepare`.',
    ...missing.map(({ key, value }) => `${key} = ${value}`),
  ].map((line) => line + end)
  if (header < 0) return ['[DEFAULT]', ...added, '', ...lines].join('\n')
  return lines.toSpliced(header + 1, 0, ...added).join('\n')
}

/** Marks the lines that are in `[DEFAULT]`. */
function defaultsOf(lines: readonly string[]): readonly boolean[] {
  let isDefault = false
  return lines.map((line) => {
    const section = /^\[([^\]]+)\]/.exec(line)?.[1]
    if (section !== undefined) isDefault = section === 'DEFAULT'
    return isDefault
  })
}
