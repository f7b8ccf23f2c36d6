import type { Candidate } from '../users/candidate.js'
import { findRole, missingRole } from './check.js'
import type { IdentityJobStore } from './job-store.js'
import { readCandidates } from './keystone/candidates.js'
import { openKeystone } from './keystone/client.js'
import { KeystoneError } from './keystone/errors.js'
import { inKeystone } from './s3-credentials.js'
import { noIdentity } from './service.js'

const timeoutMs = 20_000

/** Reads the users of a cluster's Keystone that Roost did not create. Throws `unavailable` with what Keystone answered. */
export async function readAdoptable(
  store: Pick<IdentityJobStore, 'read'>,
  clusterId: number,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  return inKeystone(async () => {
    const read = await store.read(clusterId)
    if (read === undefined) throw noIdentity()
    const { role, resellerRole, domain, owner } = read.desired
    const client = await openKeystone(read.login, { signal, timeoutMs })
    const roleId = await findRole(client, role)
    if (roleId === undefined) throw new KeystoneError(missingRole(role))
    const resellerId = await findRole(client, resellerRole)
    const all = await readCandidates(client, { roleId, resellerId, domain, owner })
    return all.map((one) => ({ ...one, readEnabled: () => inKeystone(one.readEnabled) }))
  })
}
