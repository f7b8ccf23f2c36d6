import type { ProxySetting } from '../proxy-setup/proxy-settings-file.js'

/** Sets settings of one section in a configuration, and keeps every other line: Swift refuses a file that has a setting twice. */
export function withSettings(text: string, section: string, settings: readonly ProxySetting[]): string {
  const lines = text.split('\n')
  const isOfSection = linesOf(section, lines)
  const missing = settings.filter(({ key, value }) => {
    const at = lines.findIndex((line, i) => isOfSection[i] === true && new RegExp(`^\\s*${key}\\s*[=:]`).test(line))
    if (at >= 0) lines[at] = `${key} = ${value}${lines[at]?.endsWith('\r') === true ? '\r' : ''}`
    return at < 0
  })
  if (missing.length === 0) return lines.join('\n')
  const header = lines.findIndex((line) => line.startsWith(`[${section}]`))
  const end = lines[header]?.endsWith('\r') === true ? '\r' : ''
  const added = [
    '# Written by `roost-agent storage prepare`.',
    ...missing.map(({ key, value }) => `${key} = ${value}`),
  ].map((line) => line + end)
  if (header < 0) return [`[${section}]`, ...added, '', ...lines].join('\n')
  return lines.toSpliced(header + 1, 0, ...added).join('\n')
}

/** Marks the lines that are in a section. */
function linesOf(wanted: string, lines: readonly string[]): readonly boolean[] {
  let isInside = false
  return lines.map((line) => {
    const section = /^\[([^\]]+)\]/.exec(line)?.[1]
    if (section !== undefined) isInside = section === wanted
    return isInside
  })
}
