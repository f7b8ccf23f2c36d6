import type { Filesystems } from '../../machine/filesystems.js'
import type { Machine } from '../../machine/machine.js'
import type { Measurement } from './metric.js'
import type { ReadSlowly } from './slow-reader.js'

/** Gives collectors access to the machine. */
export interface CollectorHost {
  /**
   * Reads what the kernel answers from memory: `/proc` and `/sys/fs`. A read that blocks would stop the complete agent, so `read`
   * refuses every other file: use `readSlowly`. In one round a file is read once for all collectors.
   */
  readonly machine: Pick<Machine, 'read' | 'list' | 'modifiedAt'>
  /** Reads files of devices, disks and networks in a helper process. Ask for all files of a collector at once. */
  readonly readSlowly: ReadSlowly
  readonly filesystems: Filesystems
}

export interface Collector {
  /** Part of the names `roost.collector.<name>.success` and `.duration`. */
  readonly name: string
  /** The shortest time between two readings, for a collector that is too expensive for every report. */
  readonly minIntervalMs?: number
  /** Files that are missing leave names out; throwing or rejecting makes `success` 0 and the values absent. */
  read(host: CollectorHost): readonly Measurement[] | Promise<readonly Measurement[]>
  /** Releases ports and the like. Called once, when the agent stops. */
  close?(): void
}
