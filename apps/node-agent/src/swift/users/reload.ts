import type { Clock } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { failedLogin } from './login.js'
import type { LoginCheck } from './login.js'
import { findProxies, isOver } from './proxy-process.js'
import type { ProxyProcess } from './proxy-process.js'
import type { ProxySettings } from './proxy-settings.js'

export interface ReloadDeps {
  /** Whose `/proc` shows the proxy. */
  readonly kernel: Machine
  readonly machine: Machine
  readonly run: RunCommand
  readonly signal: (pid: number, name: 'SIGUSR1') => void
  readonly clock: Clock
}

/** Loading a proxy costs seconds of a processor that serves requests meanwhile. */
const settledMs = 60_000
const oldWorkersMs = 5_000
const pollMs = 100
/** Logins on new connections may meet workers of before for a moment. */
const timesInARow = 3

/** The processes once each would take SIGUSR1 for a reload. Throws a sentence when one does not come to that. */
export async function settledProxies(deps: ReloadDeps, pids: readonly number[]): Promise<readonly ProxyProcess[]> {
  const { kernel, clock } = deps
  const deadline = clock.monotonic() + settledMs
  for (;;) {
    const gone = pids.find((pid) => isGone(deps, pid))
    if (gone !== undefined) throw new Error(`The proxy server (process ${gone}) has ended.`)
    const found = findProxies(kernel).filter(({ pid, isSettled }) => pids.includes(pid) && isSettled)
    if (found.length === pids.length) return found
    if (clock.monotonic() > deadline)
      throw new Error(
        'The proxy server does not settle, and SIGUSR1 would end it: give it at least one worker (workers = 1), and look at its log.',
      )
    await pause(clock)
  }
}

/**
 * Makes the proxies read their configuration anew, and no request under way is lost: SIGUSR1 executes the first process again, and the
 * workers of before finish what they have begun. SIGHUP would end it. Resolves when the logins hold; throws a sentence when they do not.
 */
export async function reloadProxies(
  deps: ReloadDeps,
  proxies: readonly ProxyProcess[],
  settings: ProxySettings,
  checks: readonly LoginCheck[],
): Promise<void> {
  const pids = proxies.map(({ pid }) => pid)
  const before = await settledProxies(deps, pids)
  for (const proxy of before) await sendSignal(deps, proxy)
  const deadline = deps.clock.monotonic() + settledMs
  let inARow = 0
  let reason: string | null = 'The proxy server started no new workers.'
  while (inARow < timesInARow) {
    const after = await settledProxies(deps, pids)
    if (haveNewWorkers(before, after)) reason = await failedLogin(settings, checks)
    inARow = reason === null ? inARow + 1 : 0
    if (reason !== null && deps.clock.monotonic() > deadline) throw new Error(reason)
    await pause(deps.clock)
  }
}

/** Resolves once the workers of before have ended, which then answer no request any more, or after a while. */
export async function oldWorkersEnded(deps: ReloadDeps, before: readonly ProxyProcess[]): Promise<void> {
  const workers = before.flatMap((proxy) => proxy.workers)
  const deadline = deps.clock.monotonic() + oldWorkersMs
  while (workers.some((pid) => !isGone(deps, pid)) && deps.clock.monotonic() < deadline) await pause(deps.clock)
}

/** By systemd where it runs, which may be allowed what the agent itself is not. */
async function sendSignal({ machine, run, signal }: ReloadDeps, { pid, unit }: ProxyProcess): Promise<void> {
  if (unit !== null && machine.list('/run/systemd/system').length > 0) {
    const args = ['kill', '--kill-who=main', '--signal=SIGUSR1', unit]
    const result = await run('systemctl', args, { deadlineMs: 10_000 })
    if (result.exitCode === 0) return
  }
  try {
    signal(pid, 'SIGUSR1')
  } catch (error) {
    const reason = `The agent may not signal the proxy server (process ${pid}): docs/agent.md says which right it needs.`
    throw new Error(reason, { cause: error })
  }
}

function isGone({ kernel }: ReloadDeps, pid: number): boolean {
  return isOver(kernel.read(`/proc/${pid}/status`))
}

function haveNewWorkers(before: readonly ProxyProcess[], after: readonly ProxyProcess[]): boolean {
  const old = new Set(before.flatMap(({ workers }) => workers))
  return after.every(({ workers }) => workers.some((pid) => !old.has(pid)))
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(pollMs, resolve))
}
