import type { DriftedItem } from '@roost/api-types/agent'
import type { Clock } from '../clock.js'
import { writeManagedFile } from '../host/managed-file.js'
import type { Log } from '../log.js'
import { Periodic } from '../periodic.js'
import { inParallel } from './in-parallel.js'
import type { LoginCheck } from './login-check.js'
import { planOf } from './mount-plan.js'
import { standing, withoutUnused } from './mount-record.js'
import type { MountRecord, MountRecordFile } from './mount-record.js'
import { changesOf, keyOf, mountSpecs } from './mount-spec.js'
import type { MountChanges, MountSpec } from './mount-spec.js'
import type { GatewayState, MountPlan, Mounts, ShareServers } from './mounts.js'
import { renderRcloneConfig } from './rclone-config.js'
import type { Logins } from './rclone-config.js'
import type { ShareMounts } from './share-mounts.js'
import { Tries } from './tries.js'

export interface RcloneMountsOptions {
  readonly configFile: string
  readonly recordFile: MountRecordFile
  readonly shareMounts: ShareMounts
  /** Rejects with the remedy when rclone is not there. */
  readonly requireProgram: () => Promise<void>
  readonly checkLogin: LoginCheck
  readonly clock: Clock
  readonly log: Log
}

const lookEveryMs = 3_000
/** So long at most the servers wait for mounts when the machine starts. */
const openMs = 20_000
/** A deployment waits so long for uploads; they go on after it. */
const drainMs = 20_000
/** A process each, which loads rclone. */
const atOnce = 4

/** The containers of shares, mounted by rclone; kept standing whatever becomes of the agent, Swift or the control plane. */
export class RcloneMounts implements Mounts {
  readonly #options: RcloneMountsOptions
  readonly #tries: Tries
  #servers: ShareServers = { release: async () => {}, restore: async () => {} }
  #record: MountRecord = { settled: [], staged: null, draining: [], logins: {} }
  #turn: Promise<unknown> = Promise.resolve()
  #writing: Promise<void> = Promise.resolve()
  #round: Periodic | null = null

  private constructor(options: RcloneMountsOptions) {
    this.#options = options
    this.#tries = new Tries(options.clock)
  }

  static async read(options: RcloneMountsOptions): Promise<RcloneMounts> {
    const mounts = new RcloneMounts(options)
    mounts.#record = await options.recordFile.read()
    return mounts
  }

  pathOf({ id }: { readonly id: number }): string {
    return this.#options.shareMounts.pathOf(id)
  }

  servedBy(servers: ShareServers): void {
    this.#servers = servers
  }

  async open(): Promise<void> {
    const { clock, log } = this.#options
    const onError = (error: unknown) => log.error('Mounts could not be looked after.', { error })
    const keep = () => this.#inTurn(() => this.#keep())
    await Promise.race([keep().catch(onError), new Promise<void>((resolve) => clock.after(openMs, resolve))])
    this.#round ??= new Periodic({ clock, intervalMs: () => lookEveryMs, work: keep, onError })
  }

  async close(): Promise<void> {
    await this.#round?.stop()
    await this.#turn
  }

  async plan(desired: GatewayState): Promise<MountPlan> {
    const wanted = mountSpecs(desired)
    if (wanted.length > 0) await this.#options.requireProgram()
    return planOf(changesOf(this.#record.settled, wanted), (spec) => this.#pathOf(spec))
  }

  start(desired: GatewayState, behind: ReadonlySet<string> = new Set()): Promise<void> {
    return this.#inTurn(async () => {
      const wanted = mountSpecs(desired)
      const staged = this.#holdingBack(behind, wanted)
      const changes = changesOf(this.#record.settled, staged)
      const logins = loginsOf(desired, wanted)
      if (changes.added.length + changes.replaced.length > 0) {
        await this.#options.requireProgram()
        await this.#options.checkLogin(logins)
      }
      // Of a deployment that was interrupted, and that this one is not.
      await this.#end(changesOf(staged, standing(this.#record)).added.filter(({ share }) => !this.#isSettled(share)))
      await this.#save((record) => ({ ...record, staged, logins: { ...record.logins, ...logins } }))
      const faults = await inParallel(changes.added, atOnce, (spec) => this.#up(spec))
      if (faults[0] === undefined) return
      await this.#abandon()
      throw faults[0].error
    })
  }

  holdBack(behind: ReadonlySet<string>): Promise<void> {
    return this.#inTurn(async () => {
      const { staged } = this.#record
      if (staged === null) return
      const kept = this.#holdingBack(behind, staged)
      await this.#end(changesOf(kept, staged).added.filter(({ share }) => !this.#isSettled(share)))
      await this.#save((record) => ({ ...record, staged: kept }))
    })
  }

  async settle(): Promise<readonly string[]> {
    const { broken, ended } = await this.#inTurn(() => this.#settle())
    return [...broken, ...(await this.#drained(ended))]
  }

  abandon(): Promise<void> {
    return this.#inTurn(() => this.#abandon())
  }

  async drift(): Promise<readonly DriftedItem[]> {
    const items: DriftedItem[] = []
    for (const spec of this.#record.settled) {
      if (await this.#options.shareMounts.isUp(spec)) continue
      const reason = this.#tries.fault(nameOf(spec)) ?? 'the agent mounts it again'
      items.push({ subject: this.#pathOf(spec), message: `It is not mounted: ${reason}`, diff: '' })
    }
    return items
  }

  async #settle() {
    const { settled, staged } = this.#record
    if (staged === null) return { broken: [], ended: [] }
    const { replaced, removed } = changesOf(settled, staged)
    const broken = await this.#replace(replaced)
    await this.#end(removed)
    await this.#save((record) => ({ ...record, settled: staged, staged: null }))
    return { broken, ended: [...removed, ...replaced.map(({ before }) => before)] }
  }

  async #abandon(): Promise<void> {
    const { settled, staged } = this.#record
    if (staged === null) return
    await this.#end(changesOf(settled, staged).added)
    await this.#save((record) => ({ ...record, staged: null }))
  }

  /** One after the other for servers, since each share is away from its clients only while it is its turn. */
  async #replace(replaced: MountChanges['replaced']): Promise<readonly string[]> {
    const broken: string[] = []
    for (const { before, after } of replaced) {
      if (await this.#options.shareMounts.isUp(after)) continue
      await this.#servers.release([after.share])
      if (keyOf(before) !== keyOf(after)) await this.#end([before])
      try {
        await this.#up(after)
        await this.#servers.restore([after.share])
      } catch (error) {
        broken.push(`${(error as Error).message} The agent goes on trying.`)
      }
    }
    return broken
  }

  /** What they left is uploaded from now on. */
  async #end(specs: readonly MountSpec[]): Promise<void> {
    const keys = new Set(specs.map(keyOf))
    await this.#save((record) => ({ ...record, draining: [...without(record.draining, keys), ...specs] }))
    const faults = await inParallel(specs, atOnce, ({ share }) => this.#options.shareMounts.down(share))
    if (faults[0] !== undefined) throw faults[0].error
  }

  async #up(spec: MountSpec): Promise<void> {
    const key = keyOf(spec)
    const own = this.#record.draining.filter((left) => keyOf(left) === key)
    for (const left of own) await this.#options.shareMounts.endDrain(left)
    if (own.length > 0)
      await this.#save((record) => ({ ...record, draining: without(record.draining, new Set([key])) }))
    await this.#options.shareMounts.up(spec)
  }

  /** Waits a while for what the mounts left, and says what is not in Swift by then. */
  async #drained(specs: readonly MountSpec[]): Promise<readonly string[]> {
    const { clock } = this.#options
    const until = clock.monotonic() + drainMs
    const keys = new Set(specs.map(keyOf))
    const left = () => this.#record.draining.filter((spec) => keys.has(keyOf(spec)))
    for (;;) {
      await this.#inTurn(() => this.#drain(left()))
      if (left().length === 0 || clock.monotonic() >= until) break
      await new Promise<void>((resolve) => clock.after(500, resolve))
    }
    return left().map(
      ({ share, container }) =>
        `Uploads of share ${share} to the container ${container} are still under way; they go on.`,
    )
  }

  async #drain(specs: readonly MountSpec[]): Promise<void> {
    const done = new Set<string>()
    await inParallel(specs, atOnce, async (spec) => {
      await this.#tries.run(`drain ${keyOf(spec)}`, async () => {
        if (await this.#options.shareMounts.drain(spec)) done.add(keyOf(spec))
      })
    })
    if (done.size > 0) await this.#save((record) => ({ ...record, draining: without(record.draining, done) }))
  }

  /** Mounts what should stand and does not, after a crash of rclone or a start of the machine. */
  async #keep(): Promise<void> {
    await inParallel(standing(this.#record), atOnce, async (spec) => {
      if (await this.#options.shareMounts.isUp(spec)) return
      const fault = await this.#tries.run(nameOf(spec), async () => {
        await this.#tell('release', spec)
        await this.#up(spec)
        await this.#tell('restore', spec)
        this.#options.log.info('A mount stands again.', { path: this.#pathOf(spec) })
      })
      if (fault !== undefined) this.#options.log.warn('A mount is down.', { path: this.#pathOf(spec), fault })
    })
    await this.#drain(this.#record.draining)
  }

  /** Servers that do not run do not keep a mount from standing. */
  async #tell(verb: keyof ShareServers, spec: MountSpec): Promise<void> {
    try {
      await this.#servers[verb]([spec.share])
    } catch (error) {
      this.#options.log.warn('The servers could not be told of a mount.', { path: this.#pathOf(spec), error })
    }
  }

  /** One after the other, each upon what the one before left. */
  #save(change: (record: MountRecord) => MountRecord): Promise<void> {
    const before = this.#writing
    const write = async () => {
      await before.catch(() => {})
      const { recordFile, configFile } = this.#options
      const kept = withoutUnused(change(this.#record))
      await recordFile.write(kept)
      if (JSON.stringify(kept.logins) !== JSON.stringify(this.#record.logins))
        await writeManagedFile(configFile, renderRcloneConfig(kept.logins))
      this.#record = kept
    }
    return (this.#writing = write())
  }

  /** What is wanted, but for the folders that stay as they are. */
  #holdingBack(behind: ReadonlySet<string>, wanted: readonly MountSpec[]): readonly MountSpec[] {
    const stays = (spec: MountSpec) => behind.has(this.#pathOf(spec))
    return [...wanted.filter((spec) => !stays(spec)), ...this.#record.settled.filter(stays)]
  }

  #isSettled(share: number): boolean {
    return this.#record.settled.some((spec) => spec.share === share)
  }

  #pathOf({ share }: MountSpec): string {
    return this.#options.shareMounts.pathOf(share)
  }

  /** Never two at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }
}

function without(specs: readonly MountSpec[], keys: ReadonlySet<string>): readonly MountSpec[] {
  return specs.filter((spec) => !keys.has(keyOf(spec)))
}

function nameOf({ share }: MountSpec): string {
  return `share ${share}`
}

function loginsOf({ storage }: GatewayState, [spec]: readonly MountSpec[]): Logins {
  return storage === null || spec === undefined ? {} : { [spec.remote]: storage }
}
