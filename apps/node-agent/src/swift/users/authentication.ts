import type { ProxyAuthentication } from '@roost/api-types/agent'
import { kernelOf } from '../../machine/machine.js'
import type { Machine } from '../../machine/machine.js'
import { unlessDenied } from '../../machine/try-read.js'
import { parseCasedIni } from '../config/ini.js'
import { statOf } from '../services/swift-processes.js'
import { folderOf, proxyFiles } from './location.js'
import { findOtherProcesses } from './other-servers.js'
import { findProxies } from './proxy-process.js'
import type { ProxyProcess } from './proxy-process.js'
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
    const folder = folderOf(swiftDirectory)
    const configuration = files.every((path) => path.startsWith(`${folder}/`)) ? folder : files[0]
    return hasRead(machine, configuration, [...files, folder]) ? kind : undefined
  })
}

/** The kernel counts the start of a process in hundredths of a second, and notes the time of a file at its last tick. */
const msPerTick = 10
const grainMs = 50

/**
 * Returns true if every process that serves requests has started after the last change of these paths, or none runs. A proxy that
 * was started with another file or folder has read that.
 */
function hasRead(machine: Machine, configuration: string | undefined, paths: readonly string[]): boolean {
  const kernel = kernelOf(machine)
  const changedAt = Math.max(...paths.map((path) => machine.changedAt(path) ?? 0))
  const proxies = findProxies(kernel)
  if (proxies.some((proxy) => proxy.configuration.replace(/\/+$/, '') !== configuration)) return false
  const bootedAt = bootTime(kernel)
  return servingPids(machine, kernel, proxies).every((pid) => {
    const startedAt = bootedAt + ticksOf(kernel, pid) * msPerTick
    return startedAt + grainMs >= changedAt && startedAt <= Date.now() + grainMs
  })
}

/**
 * Returns the time from which the kernel counts the start of processes. `/proc/uptime` may be that of a container, which is too
 * late; the agent's own start is late by what passes before its program runs. Both are NaN where they cannot be read.
 */
function bootTime(kernel: Machine): number {
  const byUptime = Date.now() - Number(kernel.read('/proc/uptime')?.split(' ')[0]) * 1000
  const byAgent = Date.now() - process.uptime() * 1000 - ticksOf(kernel, 'self') * msPerTick
  return Math.min(byUptime, byAgent)
}

function ticksOf(kernel: Machine, pid: string): number {
  return Number(statOf(kernel.read(`/proc/${pid}/stat`))?.startTime)
}

/**
 * First processes keep their start when they reload, so that those without children count. That of uWSGI may have loaded the
 * application for its workers, which then start again without reading anything.
 */
function servingPids(machine: Machine, kernel: Machine, proxies: readonly ProxyProcess[]): readonly string[] {
  if (proxies.length > 0)
    return proxies.flatMap(({ pid, workers }) => (workers.length > 0 ? workers : [pid])).map(String)
  const { server, pids = [] } = findOtherProcesses(machine, kernel) ?? {}
  if (server === 'uWSGI') return pids
  const parents = new Set(pids.map((pid) => statOf(kernel.read(`/proc/${pid}/stat`))?.parent))
  return pids.filter((pid) => !parents.has(pid))
}
