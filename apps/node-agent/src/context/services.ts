import type { InventoryDevice } from '@roost/api-types/agent'
import type { Clock, Log, Stoppable } from '@roost/runtime'
import { slowReaders } from '../collectors/engine/slow-reader.js'
import type { InventoryConfig } from '../config.js'
import type { Inventories } from '../inventory/inventories.js'
import type { StartHelper } from '../machine/helper.js'
import { kernelOf, type Machine } from '../machine/machine.js'
import type { NodeProblems } from '../machine/problems.js'
import type { RunCommand } from '../machine/run-command.js'
import { hasSystemd } from '../machine/systemd.js'
import { createOldUpdates } from '../swift/services/async-pending.js'
import { askServer } from '../swift/services/server-answer.js'
import { parsePolicies } from '../swift/config/swift-conf.js'
import { watchDispersion } from '../swift/services/dispersion.js'
import type { RingAddress } from '../swift/services/configured.js'
import type { ServiceList } from '../swift/services/service-list.js'
import { ServiceWatch } from '../swift/services/service-watch.js'
import { readUnits } from '../swift/services/units.js'

export interface WatchServicesOptions {
  readonly config: InventoryConfig
  readonly machine: Machine
  readonly run: RunCommand
  readonly start: StartHelper
  readonly inventories: Inventories
  readonly problems: NodeProblems
  readonly services: ServiceList
  readonly clock: Clock
  readonly log: Log
}

/** Builds and starts the watch of Swift's servers and daemons, and where it is wanted of the copies. */
export function watchServices(options: WatchServicesOptions): Stoppable {
  const watches = [watchDaemons(options), ...watchCopies(options)]
  return {
    async stop() {
      await Promise.all(watches.map((watch) => watch.stop()))
    },
  }
}

function watchCopies({ config, machine, log, ...host }: WatchServicesOptions): readonly Stoppable[] {
  const { dispersionMs: intervalMs, swiftDirectory } = config
  if (intervalMs === null) return []
  const policies = () => parsePolicies(machine.read(`${swiftDirectory}/swift.conf`) ?? '').map(({ name }) => name)
  const onError = (error: unknown) => log.warn('could not measure the dispersion of copies', { error })
  return [watchDispersion({ ...host, program: 'swift-dispersion-report', intervalMs, policies, onError })]
}

function watchDaemons({ config, inventories, log, ...host }: WatchServicesOptions): Stoppable {
  const { machine, run, start, clock } = host
  const kernel = kernelOf(machine)
  return new ServiceWatch({
    ...host,
    kernel,
    readers: {
      kernel: slowReaders({ machine: kernel, run, start })(),
      machine: slowReaders({ machine, run, start })(),
    },
    swiftDirectory: config.swiftDirectory,
    reconDirectory: config.reconCacheDirectory,
    ringAddresses: () => objectAddresses(inventories.devices()),
    ask: askServer,
    readUnits: async () => (machine.root === '/' && hasSystemd(machine) ? readUnits(run) : new Map()),
    findOldUpdates: createOldUpdates({ ...host, devices: () => inventories.devices(), now: () => clock.now() }),
    onError: (error) => log.warn('could not check the services of Swift', { error }),
  })
}

/** Returns the addresses of devices that are in an object ring. */
function objectAddresses(devices: readonly InventoryDevice[]): readonly RingAddress[] {
  return devices.flatMap(({ ring, policies }) => (ring === null || policies.length === 0 ? [] : [ring]))
}
