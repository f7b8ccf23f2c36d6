import type { Ini } from '../config/ini.js'

/** One setting of the proxy's configuration. */
export interface ProxySetting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/** Sorted after the files of operators, whose settings it overrides, and before the users. */
export const settingsFileName = '40-roost-proxy.conf'

/** Renders the settings as one file of the folder, each section once. */
export function renderSettings(settings: readonly ProxySetting[], role: 'proxy' | 'storage'): string {
  const sections = [...new Set(settings.map(({ section }) => section))]
  const blocks = sections.map((section) => {
    const lines = settings.filter((one) => one.section === section).map(({ key, value }) => `${key} = ${value}\n`)
    return `\n[${section}]\n${lines.join('')}`
  })
  return `# Written by \`roost-agent ${role} prepare\`. \`roost-agent ${role} leave\` removes it.\n${blocks.join('')}`
}

/**
 * Returns the key that changes a setting of a filter. A default hides a plain key of the filter, so that only `set` changes it; a plain
 * key overrides `set`.
 */
export function keyOfFilter(ini: Ini, section: string, name: string): string {
  if (ini.get('DEFAULT')?.has(name) === true) return `set ${name}`
  const own = ini.get(section)
  return own?.has(`set ${name}`) === true && !own.has(name) ? `set ${name}` : name
}

/** Returns the value of a setting that a filter gets; undefined without one. */
export function valueOfFilter(ini: Ini, section: string, name: string): string | undefined {
  return ini.get(section)?.get(`set ${name}`) ?? ini.get(section)?.get(name)
}
