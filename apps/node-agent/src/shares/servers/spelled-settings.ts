import {
  type DesiredShare,
  type ShareServerName,
  type ShareSetting,
  type ShareSettingName,
  shareSettingRows,
  type Spelling,
} from '@roost/api-types/agent'
import type { Fields } from './adopt.js'

/** A setting that a server's configuration has as one option. */
export interface SpelledSetting {
  readonly name: ShareSettingName
  readonly row: ShareSetting
  readonly spelling: Spelling
}

/** The name of an option and its text; the name is empty where the text is all there is. */
export type OptionText = readonly [option: string, text: string]

/** Returns the settings that are one option of the server each, in the order of the table. */
export function spelledSettings(server: ShareServerName): readonly SpelledSetting[] {
  return shareSettingRows.flatMap(([name, row]) => {
    const spelling = row.servers === 'mount alone' ? undefined : row.servers[server]
    return typeof spelling === 'object' ? [{ name, row, spelling }] : []
  })
}

/** Writes the setting of a validated share; nothing where the server's configuration leaves it out. */
export function writeSetting({ name, row, spelling }: SpelledSetting, share: DesiredShare): readonly OptionText[] {
  const text = textOf(row, spelling, share[name as keyof DesiredShare])
  return text === '' ? [] : [[spelling.option, text]]
}

/** Reads a value from the text of its option, or from its absence; undefined for a text that no value has. */
export function readSetting({ row, spelling }: SpelledSetting, text: string = spelling.absent) {
  const values = valuesOf(row, text)
  return values.find(
    (value) => row.value.rule.safeParse(value).success && isSame(textOf(row, spelling, value) || spelling.absent, text),
  )
}

/** Says whether a change of a setting's text takes a permission from some clients. */
export function isNarrowed(setting: SpelledSetting, before: string | undefined, after: string | undefined): boolean {
  const { narrows } = setting.row
  if (typeof narrows === 'string' || before === after) return false
  const had = readSetting(setting, before)
  // a text that cannot be read may have permitted as much
  return (had === undefined || had === narrows.from) && readSetting(setting, after) !== narrows.from
}

/** Reads all settings of a server: as fields of the API, and the options that no value of a field has. */
export function readSettings(server: ShareServerName, textOfSetting: (setting: SpelledSetting) => string | undefined) {
  const fields: Record<string, Fields[string]> = {}
  const unread: string[] = []
  for (const setting of spelledSettings(server)) {
    const text = textOfSetting(setting)
    const value = readSetting(setting, text)
    if (value === undefined) unread.push(`${setting.name} ${text}`)
    else fields[setting.name] = value
  }
  return { fields, unread }
}

function textOf({ value: { kind } }: ShareSetting, { texts }: Spelling, value: Fields[string] | null): string {
  const text = String(value ?? '')
  return texts?.[text] ?? (kind === 'mode' ? text.padStart(4, '0') : text)
}

/** Returns the values that a text may stand for. */
function valuesOf({ value }: ShareSetting, text: string): readonly Fields[string][] {
  if (value.kind === 'flag') return [true, false]
  if (value.kind === 'choice') return value.options
  return value.kind === 'number' ? [Number(text)] : [value.kind === 'mode' ? text.padStart(4, '0') : text]
}

/** Servers read words in any case. */
function isSame(written: string, text: string): boolean {
  return written.toLowerCase() === text.toLowerCase()
}
