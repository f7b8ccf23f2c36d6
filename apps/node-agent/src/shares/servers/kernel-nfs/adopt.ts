import { adoption, type ReadShare } from '../adopt.js'
import { readSetting, readSettings, type SpelledSetting, spelledSettings } from '../spelled-settings.js'
import { exportsFormat, type ExportLine } from './format.js'
import type { Adoption } from '../share-server.js'

/** Reads the fields of shares, without their names, from a file of exports(5) that was changed by hand. */
export function adoptExports(now: string, inForce: string): Adoption {
  return adoption(exportsFormat.parse(inForce).map(readLine), exportsFormat.parse(now).map(readLine))
}

const spelled = spelledSettings('exports')

function readLine({ path, clients }: ExportLine): ReadShare {
  const options = clients[0]?.options ?? []
  // One set of fields is for all clients of a share.
  const isOne = clients.every((client) => client.options.join() === options.join())
  const hosts = clients.map(({ host }) => host)
  const { fields, unread } = readSettings('exports', (setting) => textIn(options, setting))
  return {
    path,
    fields: { ...fields, clients_allowed_list: hosts.length === 1 && hosts[0] === '*' ? '' : hosts.join(',') },
    rest: JSON.stringify([isOne, hosts.length > 1 && hosts.includes('*'), unread, restOf(options)]),
  }
}

/** Returns the text of a setting among the options of a client: a keyword of its own, or after `option=`. */
function textIn(options: readonly string[], setting: SpelledSetting): string | undefined {
  const prefix = setting.spelling.option === '' ? '' : `${setting.spelling.option}=`
  const texts = options.filter((option) => option.startsWith(prefix)).map((option) => option.slice(prefix.length))
  return prefix === '' ? texts.find((text) => isKeywordOf(setting, text)) : texts[0]
}

function isKeywordOf(setting: SpelledSetting, text: string): boolean {
  return setting.spelling.option === '' && readSetting(setting, text) !== undefined
}

function restOf(options: readonly string[]): readonly string[] {
  return options.filter((option) => !isSetting(option))
}

function isSetting(option: string): boolean {
  return spelled.some((setting) => isKeywordOf(setting, option) || option.split('=')[0] === setting.spelling.option)
}
