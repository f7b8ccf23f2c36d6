import type { Clock } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { failedLogin } from './login.js'
import type { LoginCheck } from './login.js'
import { findProxies, isOver } from './proxy-process.js'
import type { ProxyProcess } from './proxy-process.js'
import type { ProxySettings } from './proxy-settings.js'

export interface ReloadOptions {
  /** The machine whose `/proc` has the proxy. */
  readonly kernel: Machine
  readonly machine: Machine
  readonly run: RunCommand
  readonly signal: (pid: number, name: 'SIGUSR1') => void
  readonly clock: Clock
  /** How long a proxy may load: it costs seconds of CPU, while the proxy serves requests. */
  readonly reloadTimeoutMs: number
}

const oldWorkersMs = 5_000
const pollMs = 100
/** Logins on new connections may reach old workers for a moment. */
const timesInARow = 3

/** Waits until each process would reload on SIGUSR1. Throws a sentence when one does not reach this state. */
export async function settledProxies(
  options: ReloadOptions,
  pids: readonly number[],
  { hasWorkers }: Pick<ProxySettings, 'hasWorkers'>,
): Promise<readonly ProxyProcess[]> {
  const { kernel, clock, reloadTimeoutMs } = options
  const deadline = clock.monotonic() + reloadTimeoutMs
  for (;;) {
    const gone = pids.find((pid) => isGone(options, pid))
    if (gone !== undefined) throw new Error(`The proxy server (process ${gone}) has ended. Start it, and deploy again.`)
    const found = findProxies(kernel).filter(({ pid }) => pids.includes(pid))
    const notSettled = found.find(({ isSettled }) => !isSettled)
    if (notSettled === undefined && found.length === pids.length) return found
    if (notSettled !== undefined && !hasWorkers)
      throw new Error(
        `The proxy server (process ${notSettled.pid}) has no workers, and SIGUSR1 would end it. Set at least one worker (workers = 1), and restart it.`,
      )
    if (clock.monotonic() > deadline)
      throw new Error(
        `The proxy server is still loading after ${reloadTimeoutMs / 1000} seconds, and SIGUSR1 would end it. Check its log, or set a higher swift.proxy_reload_seconds for this agent.`,
      )
    await pause(clock)
  }
}

/**
 * Makes the proxies read their configuration again without losing requests: SIGUSR1 executes the first process again, and the old
 * workers finish their requests. SIGHUP would end it. Resolves when all logins are as expected; throws a sentence otherwise.
 */
export async function reloadProxies(
  options: ReloadOptions,
  proxies: readonly ProxyProcess[],
  settings: ProxySettings,
  checks: readonly LoginCheck[],
): Promise<void> {
  const pids = proxies.map(({ pid }) => pid)
  const before = await settledProxies(options, pids, settings)
  for (const proxy of before) await sendSignal(options, proxy)
  const deadline = options.clock.monotonic() + options.reloadTimeoutMs
  let inARow = 0
  let reason: string | null = 'The proxy server started no new workers.'
  while (inARow < timesInARow) {
    const after = await settledProxies(options, pids, settings)
    if (haveNewWorkers(before, after)) reason = await failedLogin(settings, checks)
    inARow = reason === null ? inARow + 1 : 0
    if (reason !== null && options.clock.monotonic() > deadline) throw new Error(reason)
    await pause(options.clock)
  }
}

/** Resolves when the old workers have ended, or after a time limit. */
export async function oldWorkersEnded(options: ReloadOptions, before: readonly ProxyProcess[]): Promise<void> {
  const workers = before.flatMap((proxy) => proxy.workers)
  const deadline = options.clock.monotonic() + oldWorkersMs
  while (workers.some((pid) => !isGone(options, pid)) && options.clock.monotonic() < deadline)
    await pause(options.clock)
}

/** Sends the signal through systemd if possible, which may have rights that the agent has not. */
async function sendSignal({ machine, run, signal }: ReloadOptions, { pid, unit }: ProxyProcess): Promise<void> {
  if (unit !== null && machine.stamp('/run/systemd/system') !== undefined) {
    const args = ['kill', '--kill-who=main', '--signal=SIGUSR1', unit]
    const result = await run('systemctl', args, { deadlineMs: 10_000 })
    if (result.exitCode === 0) return
  }
  try {
    signal(pid, 'SIGUSR1')
  } catch (error) {
    const reason = `The agent is not permitted to signal the proxy server (process ${pid}). See docs/proxies.md for the permission that it needs.`
    throw new Error(reason, { cause: error })
  }
}

function isGone({ kernel }: ReloadOptions, pid: number): boolean {
  return isOver(kernel.read(`/proc/${pid}/status`))
}

function haveNewWorkers(before: readonly ProxyProcess[], after: readonly ProxyProcess[]): boolean {
  const old = new Set(before.flatMap(({ workers }) => workers))
  return after.every(({ workers }) => workers.some((pid) => !old.has(pid)))
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(pollMs, resolve))
}
