import type { StatsdConfig } from '../../config.js'
import type { Ini } from '../config/ini.js'
import type { ProxySetting } from './proxy-settings-file.js'

interface StatisticsPlan {
  readonly settings: readonly ProxySetting[]
  readonly remark: string | null
}

function setting(key: string, value: string): ProxySetting {
  return { section: 'DEFAULT', key, value }
}

/** Sends the statistics of a server to the agent, unless they are sent elsewhere. `sender` begins a sentence. */
export function planStatistics({ enabled, address, port }: StatsdConfig, ini: Ini, sender: string): StatisticsPlan {
  const host = ini.get('DEFAULT')?.get('log_statsd_host') || undefined
  if (enabled === false) return { settings: [], remark: null }
  if (host === undefined) {
    return { settings: [setting('log_statsd_host', address), setting('log_statsd_port', String(port))], remark: null }
  }
  const receiver = `${host}:${ini.get('DEFAULT')?.get('log_statsd_port') ?? 8125}`
  if (receiver === `${address}:${port}`) return { settings: [], remark: null }
  const remark = `${sender} sends its statistics to ${receiver}, which stays so: the agent does not receive them.`
  return { settings: [], remark }
}
