import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { type Effect, runsServices } from '../../prepare/effects.js'
import { findUnitsOf } from '../services/units.js'
import { configurationsWith } from './storage-plan.js'

/** How running storage servers get their changed configuration. */
export interface StorageEffect {
  /** Null where no unit of systemd runs a server with these files. */
  readonly effect: Effect | null
  /** For an operator, before it is done. */
  readonly sentence: string
}

/** Returns what the storage servers need after these paths have changed; null where they need nothing. */
export async function storageEffect(
  machine: Machine,
  run: RunCommand,
  swiftDirectory: string,
  paths: readonly string[],
): Promise<StorageEffect | null> {
  const configurations = configurationsWith(machine, swiftDirectory, paths)
  if (configurations.length === 0) return null
  const units = runsServices(machine) ? await findUnitsOf(run, configurations) : []
  const sentence = `The servers and daemons of ${configurations.join(', ')} that run have to be restarted once. The requests that are under way on this node are lost, and the proxies use the other copies meanwhile: do it on one node after the other.`
  return { effect: units.length === 0 ? null : ['try-restart', ...units], sentence }
}
