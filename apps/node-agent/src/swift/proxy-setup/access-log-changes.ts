import type { Machine } from '../../machine/machine.js'
import type { Change } from '../../prepare/change.js'
import { newFile } from '../../prepare/file-change.js'
import type { Ini } from '../config/ini.js'
import { findAccount } from './accounts.js'
import { keyOfFilter, type ProxySetting, valueOfFilter } from './proxy-settings-file.js'

/** How the agent gets the access log of the proxy: by rsyslog, by UDP, from a file that has it already, or not at all. */
export type AccessLogChoice = 'rsyslog' | 'udp' | 'none' | `/${string}`

export interface AccessLogPlan {
  readonly settings: readonly ProxySetting[]
  readonly changes: readonly Change[]
  /** `usage` of the agent's configuration; null leaves it. */
  readonly usage: Readonly<Record<string, unknown>> | null
  readonly remark: string | null
}

const programName = 'proxy-access'
const logFile = '/var/log/swift/proxy-access.log'
const udpPort = 5514
const ruleFile = '/etc/rsyslog.d/10-swift-access.conf'
const nothing: AccessLogPlan = { settings: [], changes: [], usage: null, remark: null }

/** Returns the way that an earlier preparation chose; undefined without one. */
export function presentChoice(machine: Machine, settings: string | undefined): AccessLogChoice | undefined {
  if (machine.read(ruleFile) === rule) return 'rsyslog'
  return settings?.includes('access_log_udp_host') === true ? 'udp' : undefined
}

/** Chooses a way for a proxy whose access log the agent does not read yet. */
export function chooseAccessLog(machine: Machine, ini: Ini, section: string): AccessLogChoice {
  if (udpHostOf(ini, section) !== undefined) return 'none'
  return machine.stamp('/usr/sbin/rsyslogd') === undefined ? 'udp' : 'rsyslog'
}

export function planAccessLog(machine: Machine, ini: Ini, section: string, choice: AccessLogChoice): AccessLogPlan {
  const set = (name: string, value: string): ProxySetting => ({ section, key: keyOfFilter(ini, section, name), value })
  if (choice === 'rsyslog')
    return {
      settings: [set('access_log_name', programName)],
      changes: rsyslogChanges(machine),
      usage: { access_log: logFile },
      remark: null,
    }
  if (choice === 'udp')
    return {
      settings: [set('access_log_udp_host', '127.0.0.1'), set('access_log_udp_port', String(udpPort))],
      changes: [],
      usage: { access_log_udp: { address: '127.0.0.1', port: udpPort } },
      remark:
        'The agent receives the access log by UDP, and what the proxy sends while the agent is stopped is not counted. Install rsyslog first to keep it in a file.',
    }
  if (choice !== 'none') return { ...nothing, usage: { access_log: choice } }
  return { ...nothing, remark: remarkWithout(udpHostOf(ini, section)) }
}

function remarkWithout(udpHost: string | undefined): string | null {
  if (udpHost === undefined) return null
  return `The proxy sends its access log to ${udpHost}, which stays so: name the file in which that program writes it with --access-log, or the transfer of accounts is not counted.`
}

function udpHostOf(ini: Ini, section: string): string | undefined {
  return valueOfFilter(ini, section, 'access_log_udp_host') || valueOfFilter(ini, section, 'log_udp_host') || undefined
}

// The name begins with a number because Debian's rules for Swift end the processing of lines of the proxy.
const rule = `# Written by \`roost-agent proxy prepare\`.
:programname, isequal, "${programName}" -${logFile}
& stop
`

const rotation = `# Written by \`roost-agent proxy prepare\`.
${logFile} {
	daily
	rotate 7
	missingok
	compress
	delaycompress
	copytruncate
}
`

function rsyslogChanges(machine: Machine): readonly Change[] {
  const folder = '/var/log/swift'
  const sentence = `Creates ${folder} for the access log of the proxy.`
  // rsyslog gives up its rights for this account, where a distribution has it.
  const owner = findAccount(machine, 'syslog') ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  return [
    ...(machine.stamp(folder) === undefined
      ? [{ path: folder, sentence, after: { kind: 'folder', mode: 0o750, ...owner } } as const]
      : []),
    newFile(ruleFile, rule, `lets rsyslog write the access log of the proxy to ${logFile}`),
    ...(isRotated(machine) ? [] : [newFile('/etc/logrotate.d/roost-proxy-access', rotation, 'keeps seven days of it')]),
  ]
}

function isRotated(machine: Machine): boolean {
  const names = machine.list('/etc/logrotate.d').filter((name) => name !== 'roost-proxy-access')
  return names.some((name) => (machine.read(`/etc/logrotate.d/${name}`) ?? '').includes('/var/log/swift/*.log'))
}
