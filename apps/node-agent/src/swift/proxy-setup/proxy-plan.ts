import type { AgentConfig } from '../../config.js'
import type { Machine } from '../../machine/machine.js'
import type { Change } from '../../prepare/change.js'
import { newFile } from '../../prepare/file-change.js'
import { logFormatOf } from '../access-log/log-format.js'
import { type ConfigText, loggingOf, readFiles } from '../access-log/proxy-logging.js'
import { type Ini, parseCasedIni } from '../config/ini.js'
import { findOtherServer, otherServerReason } from '../users/other-servers.js'
import { fileName as usersFileName, folderOf } from '../users/location.js'
import {
  type AccessLogChoice,
  type AccessLogPlan,
  chooseAccessLog,
  planAccessLog,
  presentChoice,
} from './access-log-changes.js'
import { type Account, findAccount, findGroupName } from './accounts.js'
import { changeOfConfig, rightsOfAgent } from './agent-changes.js'
import { planKernel } from './kernel-changes.js'
import { keyOfFilter, type ProxySetting, renderSettings, settingsFileName } from './proxy-settings-file.js'
import { findProxyUnit, type ProxyUnit } from './proxy-unit.js'
import { planStatistics } from './statistics.js'

const linkName = '10-proxy-server.conf'

export interface ProxyPlanOptions {
  readonly machine: Machine
  /** The machine whose `/proc` has the proxy. */
  readonly kernel: Machine
  readonly config: AgentConfig
  /** Undefined: what fits the machine. */
  readonly accessLog?: AccessLogChoice | undefined
}

/** Everything that a proxy needs for Roost. */
export interface ProxyPlan {
  readonly changes: readonly Change[]
  /** What stays for the operator. */
  readonly remarks: readonly string[]
  /** Null where systemd does not run the proxy. */
  readonly unit: ProxyUnit | null
  /** The account that runs the proxy. */
  readonly account: Account
  readonly folder: string
  /** The files that the proxy reads without ours, in its order. */
  readonly files: readonly ConfigText[]
}

/** Returns the changes that let users be deployed to this machine's proxy and its use be counted. Throws where that is impossible. */
export function planProxy(options: ProxyPlanOptions): ProxyPlan {
  const { machine, config } = options
  const { swiftDirectory } = config
  const folder = folderOf(swiftDirectory)
  const other = findOtherServer(machine, options.kernel)
  if (other !== null) throw new Error(otherServerReason(other))
  const unit = findProxyUnit(machine, options.kernel, swiftDirectory)
  const files = filesOf(machine, swiftDirectory, unit)
  const ini = parseCasedIni(...files.map(({ text }) => text))
  const account = accountOf(machine, ini)
  const log = planLog(options, ini, files)
  const statistics = planStatistics(config.statsd, ini, 'The proxy')
  const kernel = planKernel(machine)
  const settings = [...workerSettings(ini), ...statistics.settings, ...log.settings]
  return {
    changes: [
      ...folderChanges(machine, swiftDirectory, unit, account),
      ...settingsChange(`${folder}/${settingsFileName}`, settings, account),
      ...unitChanges(unit),
      ...rightsOfAgent(machine, findGroupName(machine, account.gid) ?? String(account.gid)),
      ...kernel.changes,
      ...log.changes,
      ...(log.usage === null ? [] : changeOfConfig(machine, config, log.usage)),
    ],
    remarks: [
      ...remarksOf(unit, folder),
      ...[statistics.remark, kernel.remark, log.remark].filter((remark) => remark !== null),
    ],
    unit,
    account,
    folder,
    files,
  }
}

/** Reads the operator's configuration: of the folder, where the proxy reads that already. */
function filesOf(machine: Machine, swiftDirectory: string, unit: ProxyUnit | null): readonly ConfigText[] {
  const folder = folderOf(swiftDirectory)
  const own = new Set([usersFileName, settingsFileName].map((name) => `${folder}/${name}`))
  const merged = readFiles(machine, folder).filter(({ path }) => !own.has(path))
  const single = readFiles(machine, `${swiftDirectory}/proxy-server.conf`)
  const files = unit?.readsFolder === true && merged.length > 0 ? merged : single
  if (files.length === 0)
    throw new Error(`${swiftDirectory}/proxy-server.conf does not exist: this machine has no proxy of Swift.`)
  const strangers = merged.filter(({ path }) => path !== single[0]?.path)
  if (unit?.readsFolder !== true && strangers.length > 0)
    throw new Error(
      `The proxy does not read ${folder}, which has ${strangers.map(({ path }) => path).join(', ')}: move these files away, or start the proxy with the folder.`,
    )
  return files
}

function accountOf(machine: Machine, ini: Ini): Account {
  const name = ini.get('DEFAULT')?.get('user') ?? 'swift'
  const account = findAccount(machine, name)
  if (account === undefined) throw new Error(`The account ${name} of the proxy does not exist: install Swift first.`)
  return account
}

function isOfOperator(name: string): boolean {
  return /^[^.].*\.conf$/.test(name) && name !== settingsFileName && name !== usersFileName
}

function folderChanges(
  machine: Machine,
  swiftDirectory: string,
  unit: ProxyUnit | null,
  { gid }: Account,
): readonly Change[] {
  const path = folderOf(swiftDirectory)
  const uid = findAccount(machine, 'roost-agent')?.uid ?? process.getuid?.() ?? 0
  const sentence = `Makes ${path} the folder of the proxy's configuration, in which the agent may write the users.`
  const folder: Change = { path, sentence, after: { kind: 'folder', mode: 0o2750, uid, gid } }
  if (unit?.readsFolder === true && machine.list(path).some(isOfOperator)) return [folder]
  const target = '../proxy-server.conf'
  const link = `${path}/${linkName}`
  return [folder, { path: link, sentence: `Links ${link} to ${target}.`, after: { kind: 'link', target } }]
}

/** Returns true for a file of the folder that Roost writes. */
export function isOurs(name: string): boolean {
  return [linkName, settingsFileName, usersFileName].includes(name)
}

/** Without a worker a reload would end the proxy. */
function workerSettings(ini: Ini): readonly ProxySetting[] {
  return ini.get('DEFAULT')?.get('workers')?.trim() === '0' ? [{ section: 'DEFAULT', key: 'workers', value: '1' }] : []
}

function settingsChange(path: string, settings: readonly ProxySetting[], { gid }: Account): readonly Change[] {
  if (settings.length === 0) return []
  const reason = 'has the settings of the proxy for its statistics and its access log'
  return [newFile(path, renderSettings(settings, 'proxy'), reason, { mode: 0o640, gid })]
}

/** Plans the access log, and the template with which all of it can be counted. */
function planLog(
  { machine, config, accessLog }: ProxyPlanOptions,
  ini: Ini,
  files: readonly ConfigText[],
): AccessLogPlan {
  const logging = loggingOf(files)
  if (logging === undefined) {
    const remark = 'The pipeline of the proxy has no proxy-logging, so that the transfer of accounts is not counted.'
    return { settings: [], changes: [], usage: null, remark }
  }
  const { section } = logging
  const present = presentChoice(machine, machine.read(`${folderOf(config.swiftDirectory)}/${settingsFileName}`))
  const isRead = config.usage.accessLog !== null && accessLog === undefined
  const choice = accessLog ?? present ?? (isRead ? 'none' : chooseAccessLog(machine, ini, section))
  const plan = planAccessLog(machine, ini, section, choice)
  const isCounted = isRead || plan.usage !== null
  const faults = isCounted ? logFormatOf([logging]).faults : []
  const templates = faults.map(({ template }) => ({
    section,
    key: keyOfFilter(ini, section, 'log_msg_template'),
    value: template.replaceAll('%', '%%'),
  }))
  return { ...plan, settings: [...plan.settings, ...templates], remark: isRead ? null : plan.remark }
}

function unitChanges(unit: ProxyUnit | null): readonly Change[] {
  if (unit === null || unit.folderCommand === null) return []
  const text = `# Written by \`roost-agent proxy prepare\`.\n[Service]\nExecStart=\nExecStart=${unit.folderCommand}\n`
  return [newFile(dropInOf(unit), text, 'starts the proxy with this folder')]
}

export function dropInOf({ name }: ProxyUnit): string {
  return `/etc/systemd/system/${name}.d/roost.conf`
}

function remarksOf(unit: ProxyUnit | null, folder: string): readonly string[] {
  if (unit !== null && (unit.readsFolder || unit.folderCommand !== null)) return []
  return [`No unit of systemd starts the proxy with its file: start it with ${folder} yourself.`]
}
