import { Device, deviceRules } from '@roost/api-types/rest'
import type { Reads } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function devicesResource(reads: Reads<Device>): Resource {
  return {
    name: 'devices',
    description: 'filesystems that a ring or the configuration of an agent names',
    record: Device,
    rules: deviceRules,
    reads,
  }
}
