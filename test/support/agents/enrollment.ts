import { GrantableRole } from '@roost/api-types/rest'
import { localCaller } from '@roost/control-plane/dist/operators/local-caller.js'
import type { TestApi } from '../http/api.js'

/** Who writes where a test calls a service without a request. */
export const testCaller = localCaller('test')

/** The arguments of `roost-agent enroll` with a token of one use for gateways and proxies, as `roost token create` prints them. */
export async function enrollmentArguments(api: TestApi, cluster: number): Promise<readonly string[]> {
  const { lines } = await api.context.services.tokens.create({ cluster, roles: GrantableRole.options }, testCaller)
  return (lines[0] ?? '').split(' ').slice(1)
}
