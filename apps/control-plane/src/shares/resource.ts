import {
  GatewayShare,
  GatewayShareChange,
  GatewayShareInput,
  gatewayShareRules,
  WrittenGatewayShare,
} from '@roost/api-types/rest'
import type { GatewayShareService } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function gatewaySharesResource(shares: GatewayShareService): Resource<GatewayShareInput, GatewayShareChange> {
  return {
    name: 'gateway_shares',
    description: 'NFS and CIFS shares of containers by the gateways',
    record: GatewayShare,
    rules: gatewayShareRules,
    reads: shares,
    create: {
      body: GatewayShareInput,
      answer: WrittenGatewayShare,
      secrets: ['password'],
      run: (input, caller) => shares.create(input, caller),
    },
    change: {
      body: GatewayShareChange,
      answer: WrittenGatewayShare,
      secrets: ['password'],
      run: (id, change, caller, options) => shares.change(id, change, caller, options),
    },
    remove: (id, caller, options) => shares.remove(id, caller, options),
  }
}
