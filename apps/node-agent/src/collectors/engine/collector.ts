import type { Filesystems } from '../../machine/filesystems.js'
import type { Machine } from '../../machine/machine.js'
import type { Measurement } from './metric.js'

/** What collectors may look at. */
export interface CollectorHost {
  /** In one round each file is read once, however many collectors ask for it. */
  readonly machine: Pick<Machine, 'read' | 'list' | 'modifiedAt'>
  readonly filesystems: Filesystems
}

export interface Collector {
  /** Part of the names `roost.collector.<name>.success` and `.duration`. */
  readonly name: string
  /** The least time between two readings, for what costs more than its worth at every report. */
  readonly minIntervalMs?: number
  /** Files that are not there leave names out; throwing or rejecting makes `success` 0 and the values absent. */
  read(host: CollectorHost): readonly Measurement[] | Promise<readonly Measurement[]>
}
