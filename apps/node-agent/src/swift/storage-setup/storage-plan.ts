import type { AgentConfig } from '../../config.js'
import type { Machine } from '../../machine/machine.js'
import type { Change } from '../../prepare/change.js'
import { newFile, rightsOf } from '../../prepare/file-change.js'
import { type ConfigText, readFiles } from '../access-log/proxy-logging.js'
import { type Ini, parseCasedIni } from '../config/ini.js'
import { configurationPaths } from '../config/server-files.js'
import { serverKinds } from '../config/storage-servers.js'
import { renderSettings } from '../proxy-setup/proxy-settings-file.js'
import { planStatistics } from '../proxy-setup/statistics.js'
import { withSettings } from './section-settings.js'

/** Sorted after the files of operators, whose settings it overrides. */
const ownName = '90-roost-storage.conf'

/** What the storage servers of a machine need, so that the agent receives their statistics. */
export interface StoragePlan {
  readonly changes: readonly Change[]
  /** What stays for the operator. */
  readonly remarks: readonly string[]
}

/** The configurations of programs that send statistics, each with the section that has its settings. */
const programs = [
  ...serverKinds.map((kind) => ({ name: `${kind}-server`, section: 'DEFAULT', sender: 'server' })),
  // Not [DEFAULT]: its internal client would send its requests as proxy-server.*, beside those of the proxies.
  { name: 'object-expirer', section: 'object-expirer', sender: 'object-expirer' },
] as const
type Program = (typeof programs)[number]

/** A file or folder that servers or a daemon are started with. */
interface Configuration {
  readonly program: Program
  readonly path: string
  /** The files that it consists of, without ours. */
  readonly files: readonly ConfigText[]
}

/** Returns the changes of the storage servers' configuration. Throws where there is nothing to prepare. */
export function planStorage(
  machine: Machine,
  { swiftDirectory, statsd }: Pick<AgentConfig, 'swiftDirectory' | 'statsd'>,
): StoragePlan {
  if (statsd.enabled === false)
    throw new Error(
      'The agent receives no statistics: its configuration has statsd.enabled = false. Remove that first.',
    )
  const configurations = findConfigurations(machine, swiftDirectory)
  if (configurations.length === 0)
    throw new Error(
      `${swiftDirectory} has no configuration of account, container or object servers, nor of object-expirer: this machine stores nothing for Swift.`,
    )
  const plans = configurations.map((one) => planOne(machine, one, statsd))
  const changes = new Map(plans.flatMap((plan) => plan.changes).map((change) => [change.path, change]))
  return { changes: [...changes.values()], remarks: [...new Set(plans.flatMap(({ remarks }) => remarks))] }
}

/** Returns the configurations that these changed paths are part of. */
export function configurationsWith(
  machine: Machine,
  swiftDirectory: string,
  paths: readonly string[],
): readonly string[] {
  const changed = new Set(paths)
  return findConfigurations(machine, swiftDirectory)
    .filter(({ path, files }) => changed.has(`${path}/${ownName}`) || files.some((file) => changed.has(file.path)))
    .map(({ path }) => path)
}

function findConfigurations(machine: Machine, swiftDirectory: string): readonly Configuration[] {
  return programs
    .flatMap((program) =>
      configurationPaths(machine, swiftDirectory, program.name).map((path) => ({
        program,
        path,
        files: readFiles(machine, path).filter((file) => file.path !== `${path}/${ownName}`),
      })),
    )
    .filter(
      ({ program: { section }, files }) => files.length > 0 && (section === 'DEFAULT' || hasSection(files, section)),
    )
}

/** A daemon does not start without its section. */
function hasSection(files: readonly ConfigText[], section: string): boolean {
  return parseCasedIni(...files.map(({ text }) => text)).has(section)
}

function planOne(
  machine: Machine,
  { program, path, files }: Configuration,
  statsd: AgentConfig['statsd'],
): StoragePlan {
  const ini = parseCasedIni(...files.map(({ text }) => text))
  const { section, sender } = program
  const { settings, remark } = planStatistics(statsd, ini, `The ${sender} of ${path}`, section)
  const remarks = [...(remark === null ? [] : [remark]), ...othersIn(path, ini, section)]
  const [first] = files
  if (settings.length === 0 || first === undefined) return { changes: [], remarks }
  const reason = `lets ${section === 'DEFAULT' ? 'these servers' : `this ${sender}`} send their statistics to the agent`
  const rights = rightsOf(machine.path(first.path))
  if (path.endsWith('.d'))
    return { changes: [newFile(`${path}/${ownName}`, renderSettings(settings, 'storage'), reason, rights)], remarks }
  return { changes: [newFile(first.path, withSettings(first.text, section, settings), reason, rights)], remarks }
}

const hostKeys = ['log_statsd_host', 'set log_statsd_host'] as const

/** Names the settings that send statistics elsewhere, or under another name, whatever the section of the program has. */
function othersIn(path: string, ini: Ini, section: string): readonly string[] {
  const byDefault = ini.get(section)?.get('log_statsd_host')
  const sections = [...ini].filter(
    ([, settings]) => section === 'DEFAULT' && hostKeys.some((key) => (settings.get(key) || byDefault) !== byDefault),
  )
  const prefix = ini.get(section)?.get('log_statsd_metric_prefix')
  return [
    ...sections.map(
      ([name]) => `[${name}] of ${path} has a log_statsd_host of its own, which stays: its statistics go there.`,
    ),
    ...(prefix
      ? [`${path} has log_statsd_metric_prefix = ${prefix}: without it the names are the same on every node.`]
      : []),
  ]
}
