import type { DriftedItem } from '@roost/api-types/agent'
import { type Clock, type Log, Periodic } from '@roost/runtime'
import type { NodeProblems } from '../machine/problems.js'
import type { IncompleteFiles } from './cache/incomplete-files.js'
import type { ShareCounts } from './cache/files/share-counts.js'
import { CacheDiskWatch } from './upkeep/cache-disk-watch.js'
import type { CacheSizes } from './upkeep/cache-sizes.js'
import { CacheUpkeep } from './upkeep/cache-upkeep.js'
import type { ClientFiles } from './started/client-files.js'
import type { FindMissingContainers } from './health/missing-containers.js'
import type { LoginCheck } from './health/login-check.js'
import { MountChanger } from './mount-changer.js'
import { MountKeeper } from './mount-keeper.js'
import { planOf } from './desired/mount-plan.js'
import { mountSpecs } from './desired/mount-spec.js'
import type { MountChanges } from './desired/mount-spec.js'
import type { MountStore } from './desired/mount-store.js'
import type { GatewayState, MissingShare, MountPlan, Mounts, SettledMounts, ShareServers } from './desired/mounts.js'
import { outdatedMountsCheck } from './upkeep/outdated-mounts.js'
import { Restarts } from './started/restarts.js'
import type { ShareMounts } from './started/share-mounts.js'
import { StartedMounts } from './started/started-mounts.js'

export interface RcloneMountsOptions {
  readonly store: MountStore
  readonly shareMounts: ShareMounts
  /** Rejects with the remedy when rclone is missing. */
  readonly requireProgram: () => Promise<void>
  readonly checkLogin: LoginCheck
  readonly clientFiles: ClientFiles
  readonly cacheSizes: CacheSizes
  readonly counts: ShareCounts
  readonly incomplete: Pick<IncompleteFiles, 'recent' | 'failedAtMs' | 'check' | 'intervalMs'>
  /** Contains the caches of all shares. */
  readonly cacheDirectory: string
  readonly problems: NodeProblems
  /** Reads the names of deployed shares by the paths of their folders. */
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly onRestored: (share: number) => void
  readonly findMissingContainers: FindMissingContainers
  readonly clock: Clock
  readonly log: Log
}

const upkeepEveryMs = 3_000
const diskCheckEveryMs = 1_000

/** Mounts the containers of shares by rclone, and keeps them mounted without the agent, Swift or the control plane. */
export class RcloneMounts implements Mounts {
  readonly #options: RcloneMountsOptions
  readonly #mounts: StartedMounts
  readonly #keeper: MountKeeper
  readonly #changer: MountChanger
  readonly #checkOutdated: () => Promise<void>
  readonly #disk: CacheDiskWatch
  readonly #cache: CacheUpkeep
  #diskChecks: Periodic | null = null
  #upkeep: Periodic | null = null
  #incomplete: Periodic | null = null
  readonly restarts: Restarts

  constructor(options: RcloneMountsOptions) {
    this.#options = options
    this.#mounts = new StartedMounts(options)
    this.#keeper = new MountKeeper({ ...options, mounts: this.#mounts })
    this.#changer = new MountChanger({ ...options, mounts: this.#mounts, keeper: this.#keeper })
    this.restarts = new Restarts({ ...options, mounts: this.#mounts })
    this.#checkOutdated = outdatedMountsCheck({ ...options, mounts: this.#mounts, restarts: this.restarts })
    this.#disk = new CacheDiskWatch(options)
    this.#cache = new CacheUpkeep({ ...options, mounts: this.#mounts, restarts: this.restarts, disk: this.#disk })
  }

  pathOf({ id }: { readonly id: number }): string {
    return this.#mounts.pathOf({ share: id })
  }

  servedBy(servers: ShareServers): void {
    this.#mounts.servedBy(servers)
  }

  async open(): Promise<void> {
    const { clock, log, incomplete } = this.#options
    await this.#keeper.open()
    this.#diskChecks ??= new Periodic({
      clock,
      intervalMs: () => diskCheckEveryMs,
      work: () => this.#disk.check(),
      onError: (error) => log.error('could not check the disk of the cache', { error }),
    })
    this.#upkeep ??= new Periodic({
      clock,
      intervalMs: () => upkeepEveryMs,
      work: async () => {
        await this.#checkOutdated()
        await this.#cache.check()
        await this.restarts.check()
      },
      onError: (error) => log.error('could not check which mounts need a restart', { error }),
    })
    this.#incomplete ??= new Periodic({
      clock,
      intervalMs: () => incomplete.intervalMs,
      work: () => incomplete.check(),
      onError: (error) => log.error('could not check for incomplete files', { error }),
    })
  }

  async close(): Promise<void> {
    await this.#diskChecks?.stop()
    await this.#upkeep?.stop()
    await this.#incomplete?.stop()
    await this.#keeper.close()
    await this.#changer.idle()
    await this.#mounts.idle()
    this.#options.cacheSizes.close()
  }

  async plan(desired: GatewayState): Promise<MountPlan> {
    const { requireProgram, cacheSizes } = this.#options
    const specs = mountSpecs(desired)
    if (specs.length > 0) await requireProgram()
    const changes = await this.#changer.changesTo(specs)
    await cacheSizes.requirePart(changes.added, specs)
    const plan = planOf(changes, (spec) => this.#mounts.pathOf(spec))
    return { ...plan, notes: [...plan.notes, ...(await this.#containerWarnings(desired, changes))] }
  }

  async #containerWarnings({ storage }: GatewayState, { added, replaced }: MountChanges): Promise<readonly string[]> {
    const containers = [...added, ...replaced.map(({ after }) => after)].map(({ container }) => container)
    if (storage === null || containers.length === 0) return []
    const missing = await this.#options.findMissingContainers(storage, containers)
    return [...missing]
      .toSorted()
      .map(
        (name) =>
          `The container '${name}' does not exist. The first write will create it in the default storage policy.`,
      )
  }

  start(desired: GatewayState, kept: ReadonlySet<string> = new Set()): Promise<readonly MissingShare[]> {
    return this.#changer.start(desired, kept)
  }

  keepUnchanged(kept: ReadonlySet<string>): Promise<void> {
    return this.#changer.keepUnchanged(kept)
  }

  settle(): Promise<SettledMounts> {
    return this.#changer.settle()
  }

  abandon(): Promise<void> {
    return this.#changer.abandon()
  }

  async drift(): Promise<readonly DriftedItem[]> {
    const items: DriftedItem[] = []
    for (const spec of this.#options.store.record.settled) {
      if (await this.#mounts.isUp(spec)) continue
      const reason = this.#keeper.fault(spec.share) ?? 'the agent is mounting it again'
      items.push({ subject: this.#mounts.pathOf(spec), message: `It is not mounted: ${reason}`, diff: '' })
    }
    return items
  }
}
