import type { ProxyAuthentication } from '@roost/api-types/agent'
import { kernelOf } from '../../machine/machine.js'
import type { Machine } from '../../machine/machine.js'
import { unlessDenied } from '../../machine/try-read.js'
import { parseCasedIni } from '../config/ini.js'
import { statOf } from '../services/swift-processes.js'
import { folderOf, proxyFiles } from './location.js'
import { findOtherProcesses } from './other-servers.js'
import { findProxies } from './proxy-process.js'
import { authenticationOf, pipelineOf } from './proxy-settings.js'

/**
 * Returns how the proxy of this machine authenticates; undefined without a proxy, and while its files cannot be read. A proxy that
 * may still run with tempauth, because its files have changed since it read them, is undefined, too: the cluster has to shut users
 * out there until it has restarted.
 */
export function readProxyAuthentication(machine: Machine, swiftDirectory: string): ProxyAuthentication | undefined {
  return unlessDenied(() => {
    const files = proxyFiles(machine, swiftDirectory)
    const ini = parseCasedIni(...files.map((path) => machine.read(path) ?? ''))
    const pipeline = pipelineOf(ini)
    if (pipeline.length === 0) return undefined
    const { kind } = authenticationOf(ini, pipeline)
    if (kind === 'tempauth') return kind
    return hasRead(machine, [...files, folderOf(swiftDirectory)]) ? kind : undefined
  })
}

/** The kernel counts the start of a process in hundredths of a second, and notes the time of a file at its last tick. */
const ticksPerSecond = 100
const grainMs = 50

/** Returns true if every process that serves requests has started after the last change of these paths, or none runs. */
function hasRead(machine: Machine, paths: readonly string[]): boolean {
  const kernel = kernelOf(machine)
  const changedAt = Math.max(...paths.map((path) => machine.changedAt(path) ?? 0))
  const bootedAt = Date.now() - Number(kernel.read('/proc/uptime')?.split(' ')[0]) * 1000
  return servingPids(machine, kernel).every((pid) => {
    const ticks = statOf(kernel.read(`/proc/${pid}/stat`))?.startTime
    return bootedAt + (Number(ticks) / ticksPerSecond) * 1000 + grainMs >= changedAt
  })
}

/** First processes keep their start when they reload, so that those without children count. */
function servingPids(machine: Machine, kernel: Machine): readonly string[] {
  const proxies = findProxies(kernel)
  if (proxies.length > 0)
    return proxies.flatMap(({ pid, workers }) => (workers.length > 0 ? workers : [pid])).map(String)
  const pids = findOtherProcesses(machine, kernel)?.pids ?? []
  const parents = new Set(pids.map((pid) => statOf(kernel.read(`/proc/${pid}/stat`))?.parent))
  return pids.filter((pid) => !parents.has(pid))
}
