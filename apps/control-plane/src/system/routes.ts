import { SystemInfo } from '@roost/api-types/rest'
import type { SystemService } from '@roost/api-types/rpc'
import type { Route } from '../http/dialect/route.js'

export function systemRoutes(system: SystemService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'system/',
      resource: 'system',
      summary: 'The control plane itself: version, database, disk, certificate, connected agents and the last backup',
      status: 200,
      answer: SystemInfo,
      handle: () => system.get(),
    },
  ]
}
