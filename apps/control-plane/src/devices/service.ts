import { idOfUri, RoostError } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { DeviceService } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Writes } from '../database/writes.js'
import type { DeviceStore } from './store.js'

export interface DeviceServiceOptions {
  readonly store: DeviceStore
  readonly writes: Writes
  readonly facets: DeviceService['facets']
  /** Notifies the features that keep devices in memory. */
  readonly devicesChanged: (nodeId: number) => Promise<void>
}

/** Creates the service of devices. Agents report devices; an operator can only remove what is not there any more. */
export function createDeviceService({ store, writes, facets, devicesChanged }: DeviceServiceOptions): DeviceService {
  const service = crudService(resources.devices, {
    store,
    writes,
    checks: {
      async remove(_tx, { name, status }) {
        if (status === 'retired' || status === 'missing') return
        throw new RoostError(
          'conflict',
          `The device ${name} is ${status}. Only a retired or missing device can be removed: remove it from all rings first.`,
        )
      },
    },
  })
  return {
    ...service,
    facets,
    async remove(id, caller, options) {
      const nodeId = idOfUri('nodes', (await service.get(id)).node)
      await service.remove(id, caller, options)
      if (nodeId !== undefined) await devicesChanged(nodeId)
    },
  }
}
