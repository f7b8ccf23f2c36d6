import type { Caller } from '@roost/api-types/rpc'

/** Who acts on the control plane's own machine; has no key. */
export function localCaller(requestId: string): Caller {
  return { operatorId: 0, operator: 'local', role: 'admin', keyId: null, address: 'local', requestId }
}
