import type { Clock, Log } from '@roost/runtime'
import type { ClientFiles } from './client-files.js'
import type { MountSpec } from '../desired/mount-spec.js'
import type { MountStore } from '../desired/mount-store.js'
import type { StartedMounts } from './started-mounts.js'

export interface RestartsOptions {
  readonly store: MountStore
  readonly mounts: StartedMounts
  readonly clientFiles: ClientFiles
  readonly clock: Clock
  readonly log: Log
}

export interface PendingRestart {
  readonly share: number
  readonly reasons: readonly string[]
  /** Open files that delay the restart, as counted last. */
  readonly openFiles: number
}

export interface RestartOptions {
  /** Returns whether the reason still applies. */
  readonly isNeeded?: () => Promise<boolean>
  /** True when the mount does not serve them anyway. */
  readonly ignoresOpenFiles?: boolean
}

interface Request {
  readonly reasons: Map<string, RestartOptions>
  openFiles: number
  /** Checks in a row without an open file. */
  idleChecks: number
}

const pauseMs = 600_000
/** A client that writes many files has none open between two of them. */
const requiredIdleChecks = 3

/**
 * Restarts mounts of which no client has a file open: one at a time on the machine, each share at most once in 10 minutes.
 * What is not uploaded stays in the cache, and the next rclone uploads it.
 */
export class Restarts {
  readonly #options: RestartsOptions
  readonly #requests = new Map<number, Request>()
  readonly #restartedAtMs = new Map<number, number>()

  constructor(options: RestartsOptions) {
    this.#options = options
  }

  /** Requests a restart, once for each reason. A request is dropped when none of its reasons applies any longer. */
  request(share: number, reason: string, options: RestartOptions = {}): void {
    const request = this.#requests.get(share) ?? { reasons: new Map(), openFiles: 0, idleChecks: 0 }
    request.reasons.set(reason, options)
    this.#requests.set(share, request)
  }

  /** Requests a restart of each mount to which the reason applies now; returns those. */
  async requestWhere(
    specs: readonly MountSpec[],
    reason: string,
    applies: (spec: MountSpec) => Promise<boolean>,
  ): Promise<readonly MountSpec[]> {
    const found: MountSpec[] = []
    for (const spec of specs) if (await applies(spec)) found.push(spec)
    for (const spec of found) this.request(spec.share, reason, { isNeeded: () => applies(spec) })
    return found
  }

  pending(): readonly PendingRestart[] {
    return [...this.#requests].map(([share, { reasons, openFiles }]) => ({
      share,
      reasons: [...reasons.keys()],
      openFiles,
    }))
  }

  /** Restarts idle mounts. Called every few seconds. */
  async check(): Promise<void> {
    await this.#dropUnneeded()
    // A deployment checks what the servers serve, which a restart changes for a moment.
    if (this.#requests.size === 0 || this.#options.store.record.staged !== null) return
    await this.#countOpenFiles()
    for (const [share, request] of this.#requests) {
      request.idleChecks = isBusy(request) ? 0 : request.idleChecks + 1
      if (request.idleChecks < requiredIdleChecks || !this.#mayRestart(share)) continue
      // The restart of another share may have taken long.
      await this.#countOpenFiles()
      if (!isBusy(request)) await this.#restart(share, request)
    }
  }

  async #dropUnneeded(): Promise<void> {
    for (const [share, { reasons }] of this.#requests) {
      const isDesired = this.#options.store.desired(share) !== undefined
      for (const [reason, { isNeeded }] of reasons)
        if (!isDesired || (await isNeeded?.()) === false) reasons.delete(reason)
      if (reasons.size === 0) this.#requests.delete(share)
    }
  }

  async #countOpenFiles(): Promise<void> {
    const { mounts, clientFiles } = this.#options
    const counts = await clientFiles()
    for (const [share, request] of this.#requests) request.openFiles = counts.get(mounts.pathOf({ share })) ?? 0
  }

  #mayRestart(share: number): boolean {
    const { mounts, clock } = this.#options
    const last = this.#restartedAtMs.get(share)
    return !mounts.isChanging(share) && (last === undefined || clock.monotonic() - last >= pauseMs)
  }

  async #restart(share: number, { reasons }: Request): Promise<void> {
    const { mounts, clock, log } = this.#options
    const context = { path: mounts.pathOf({ share }), reason: [...reasons.keys()].join(', ') }
    this.#restartedAtMs.set(share, clock.monotonic())
    this.#requests.delete(share)
    try {
      await mounts.restart(share)
      log.info('mount restarted', context)
    } catch (error) {
      // It is down now, and the keeper mounts it again.
      log.warn('could not restart a mount', { ...context, error })
    }
  }
}

function isBusy({ openFiles, reasons }: Request): boolean {
  return openFiles > 0 && ![...reasons.values()].some(({ ignoresOpenFiles }) => ignoresOpenFiles === true)
}
