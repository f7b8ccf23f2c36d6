import type { StatsdConfig } from '../../config.js'
import type { Ini } from '../config/ini.js'
import type { ProxySetting } from './proxy-settings-file.js'

interface StatisticsPlan {
  readonly settings: readonly ProxySetting[]
  readonly remark: string | null
}

/** Sends the statistics of a server to the agent, unless they are sent elsewhere. `sender` begins a sentence. */
export function planStatistics(
  { enabled, address, port }: StatsdConfig,
  ini: Ini,
  sender: string,
  section: string = 'DEFAULT',
): StatisticsPlan {
  const host = ini.get(section)?.get('log_statsd_host') || undefined
  if (enabled === false) return { settings: [], remark: null }
  if (host === undefined) {
    const settings = [
      { section, key: 'log_statsd_host', value: address },
      { section, key: 'log_statsd_port', value: String(port) },
    ]
    return { settings, remark: null }
  }
  const receiver = `${host}:${ini.get(section)?.get('log_statsd_port') ?? 8125}`
  if (receiver === `${address}:${port}`) return { settings: [], remark: null }
  const remark = `${sender} sends its statistics to ${receiver}, which stays so: the agent does not receive them.`
  return { settings: [], remark }
}
