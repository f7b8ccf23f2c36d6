import { NodeHardware } from '@roost/api-types/rest'
import type { NodeHardwareService } from '@roost/api-types/rpc'
import type { Route } from '../http/dialect/route.js'

export function nodeHardwareRoutes(hardware: NodeHardwareService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'nodes/:id/hardware/',
      resource: 'nodes',
      status: 200,
      summary:
        'System, board, firmware, CPU, memory modules, disks and interfaces of a node, as last read by its agent',
      answer: NodeHardware,
      refusals: [503],
      handle: ({ id }) => hardware.get(id),
    },
  ]
}
