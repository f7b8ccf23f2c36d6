import type { Machine } from '../../machine/machine.js'

/** The account of a process, and its groups, its own first. */
export interface Reader {
  readonly uid: number
  readonly gids: readonly [number, ...number[]]
}

/** The first process of a running proxy server, which keeps its number over a reload. */
export interface ProxyProcess {
  readonly pid: number
  readonly uid: number
  /** Its workers, which read the configuration. */
  readonly reader: Reader
  /** The file or folder that it was started with. */
  readonly configuration: string
  /** Its unit of systemd; null without one. */
  readonly unit: string | null
  readonly workers: readonly number[]
  /** True if SIGUSR1 makes it reload. During a start or reload, or without workers, the signal would end it. */
  readonly isSettled: boolean
}

interface Found extends Omit<ProxyProcess, 'uid' | 'workers' | 'isSettled'> {
  readonly parent: number
  readonly catches: (signal: number) => boolean
}

/** The kernel cuts names at 15 characters. */
const name = 'swift-proxy-ser'

const sigusr1 = 10
const sigterm = 15

/** Finds the first processes of the running proxy servers. */
export function findProxies(kernel: Machine): readonly ProxyProcess[] {
  const found = kernel
    .list('/proc')
    .filter((entry) => /^\d+$/.test(entry) && kernel.read(`/proc/${entry}/comm`)?.trim() === name)
    .flatMap((entry) => readProcess(kernel, Number(entry)) ?? [])
  const pids = new Set(found.map(({ pid }) => pid))
  return found.filter(({ parent }) => !pids.has(parent)).map((first) => proxyOf(first, found))
}

/**
 * Identifies processes by the signals that they handle: a worker leaves SIGTERM to the kernel; the process that keeps the old
 * sockets open during a reload has the handlers of the first process.
 */
function proxyOf({ pid, reader, configuration, unit, catches }: Found, found: readonly Found[]): ProxyProcess {
  const children = found.filter(({ parent }) => parent === pid)
  const workers = children.filter((child) => child.catches(sigusr1) && !child.catches(sigterm))
  const isReloading = children.some((child) => child.catches(sigterm))
  return {
    pid,
    uid: reader.uid,
    reader: workers[0]?.reader ?? reader,
    configuration,
    unit,
    workers: workers.map((worker) => worker.pid),
    isSettled: catches(sigusr1) && workers.length > 0 && !isReloading,
  }
}

/** Returns undefined for a process that has ended. */
function readProcess(kernel: Machine, pid: number): Found | undefined {
  const status = kernel.read(`/proc/${pid}/status`)
  const args = kernel.read(`/proc/${pid}/cmdline`)?.split('\0')
  if (status === undefined || args === undefined || isOver(status)) return undefined
  const fields = (key: string) => new RegExp(`^${key}:(.*)`, 'm').exec(status)?.[1]?.trim().split(/\s+/) ?? []
  const handled = BigInt(`0x${fields('SigCgt')[0] ?? '0'}`)
  const program = args.findIndex((arg) => arg.endsWith('swift-proxy-server'))
  return {
    pid,
    parent: Number(fields('PPid')[0]),
    // The second of the four IDs is the effective one.
    reader: {
      uid: Number(fields('Uid')[1]),
      gids: [Number(fields('Gid')[1]), ...fields('Groups').filter(Boolean).map(Number)],
    },
    configuration: args.slice(program + 1).find((arg) => arg !== '' && !arg.startsWith('-')) ?? '',
    unit: /\/([^/\n]+\.service)$/m.exec(kernel.read(`/proc/${pid}/cgroup`) ?? '')?.[1] ?? null,
    catches: (signal) => ((handled >> BigInt(signal - 1)) & 1n) === 1n,
  }
}

/** Returns true if the process with this status has ended. */
export function isOver(status: string | undefined): boolean {
  return status === undefined || /^State:\s+[ZX]/m.test(status)
}
