import { isDeepStrictEqual } from 'node:util'
import type { Machine } from '../../machine/machine.js'
import type { Change } from '../../prepare/change.js'
import { newFile, pathOnMachine, rightsOf } from '../../prepare/file-change.js'
import { readUnitText, settingsOf } from '../../prepare/unit-text.js'

export const agentDropIn = '/etc/systemd/system/roost-agent.service.d/proxy.conf'

/** Lets the agent write the users of the proxy, and signal the proxy, which runs as another account. */
export function rightsOfAgent(machine: Machine, group: string): readonly Change[] {
  const unit = readUnitText(machine, 'roost-agent.service')
  if (unit === undefined) return [] // another supervisor starts the agent
  const parts = (name: string) => settingsOf(unit, name).flatMap((value) => value.split(/\s+/))
  const isRoot = parts('User').at(-1) === 'root'
  if (isRoot || (parts('SupplementaryGroups').includes(group) && parts('AmbientCapabilities').includes('CAP_KILL')))
    return []
  const text = `# Written by \`roost-agent proxy prepare\`.
[Service]
SupplementaryGroups=${group}
AmbientCapabilities=CAP_DAC_READ_SEARCH CAP_KILL
CapabilityBoundingSet=CAP_DAC_READ_SEARCH CAP_KILL
`
  const reason = `gives the agent the group ${group} and the right to reload the proxy (CAP_KILL)`
  return [newFile(agentDropIn, text, reason)]
}

/** Adds settings to the agent's configuration, and keeps the others. */
export function changeOfConfig(
  machine: Machine,
  { configFile, dataDir }: { readonly configFile: string; readonly dataDir: string },
  usage: Readonly<Record<string, unknown>>,
): readonly Change[] {
  const path = pathOnMachine(machine, configFile)
  const config = JSON.parse(machine.read(path) ?? '{}') as Config
  const isSet = Object.entries(usage).every(([key, value]) => isDeepStrictEqual(config.usage?.[key], value))
  if (isSet) return []
  const text = withUsage(machine.read(path) ?? '{}\n', config, usage)
  const reason = 'lets the agent read the access log of the proxy'
  return [newFile(path, text, reason, rightsOf(configFile) ?? { mode: 0o600, ...rightsOf(dataDir) })]
}

interface Config {
  readonly usage?: Readonly<Record<string, unknown>>
}

/** Adds one line, so that everything else keeps the form that the operator gave it; a file that has `usage` is written again. */
function withUsage(text: string, config: Config, usage: object): string {
  if (config.usage === undefined) {
    const comma = Object.keys(config).length === 0 ? '' : ','
    return text.replace(/\{(\s*\})?/, (_open, end?: string) => {
      const rest = end === undefined ? '' : '\n}'
      return `{\n  "usage": ${JSON.stringify(usage)}${comma}${rest}`
    })
  }
  // A node has one of the two.
  const { access_log: _file, access_log_udp: _udp, ...others } = config.usage
  return `${JSON.stringify({ ...config, usage: { ...others, ...usage } }, null, 2)}\n`
}
