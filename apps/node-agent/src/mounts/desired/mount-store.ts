import { SerialQueue } from '@roost/runtime'
import { desiredMounts, withoutUnused } from './mount-record.js'
import type { MountRecord, MountRecordFile } from './mount-record.js'
import { keyOf } from './mount-spec.js'
import type { MountSpec } from './mount-spec.js'
import { writeLoginFiles } from '../rclone/login-files.js'

export interface MountStoreOptions {
  readonly recordFile: MountRecordFile
  /** rclone's configuration, with the logins of the record. */
  readonly configFile: string
}

/** Keeps the record of mounts, in memory and on disk. Changes are applied and written one after the other. */
export class MountStore {
  readonly #options: MountStoreOptions
  #record: MountRecord
  readonly #queue = new SerialQueue()

  private constructor(options: MountStoreOptions, record: MountRecord) {
    this.#options = options
    this.#record = record
  }

  static async read(options: MountStoreOptions): Promise<MountStore> {
    return new MountStore(options, await options.recordFile.read())
  }

  get record(): MountRecord {
    return this.#record
  }

  /** Returns the mount that the share should have now; undefined when none. */
  desired(share: number): MountSpec | undefined {
    return desiredMounts(this.#record).find((spec) => spec.share === share)
  }

  isSettled(share: number): boolean {
    return this.#record.settled.some((spec) => spec.share === share)
  }

  save(change: (record: MountRecord) => MountRecord): Promise<void> {
    return this.#queue.run(async () => {
      const { recordFile, configFile } = this.#options
      const next = withoutUnused(change(this.#record))
      await recordFile.write(next)
      if (JSON.stringify(next.logins) !== JSON.stringify(this.#record.logins))
        await writeLoginFiles(configFile, next.logins, this.#record.logins)
      this.#record = next
    })
  }

  addDraining(spec: MountSpec): Promise<void> {
    return this.save((record) => ({ ...record, draining: [...without(record.draining, spec), spec] }))
  }

  removeDraining(spec: MountSpec): Promise<void> {
    return this.save((record) => ({ ...record, draining: without(record.draining, spec) }))
  }

  /** Lists ended mounts that used the same cache as this one. */
  drainingLike(spec: MountSpec): readonly MountSpec[] {
    return this.#record.draining.filter((left) => keyOf(left) === keyOf(spec))
  }
}

function without(specs: readonly MountSpec[], removed: MountSpec): readonly MountSpec[] {
  return specs.filter((spec) => keyOf(spec) !== keyOf(removed))
}
