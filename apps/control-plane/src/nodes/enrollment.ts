import { createHash } from 'node:crypto'
import { protocolVersion } from '@roost/api-types/agent'
import type { EnrollRequest } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { Enrollments, EnrollOutcome } from '../agents/fleet.js'
import type { Clock } from '@roost/runtime'
import type { SimilarNode, EnrollmentStore, EnrollmentWork, NewIdentity, OpenToken } from './enrollment-store.js'
import { hardwareMatch } from './hardware.js'

/** With a larger difference neither side can use the times of the other. */
const maxSkewSeconds = 300

export interface EnrollmentOptions {
  readonly store: EnrollmentStore
  /** The live sessions of nodes. */
  readonly sessions: { isConnected(nodeId: number): boolean; revoke(nodeId: number): void }
  readonly clock: Clock
}

export interface EnrollmentService extends Enrollments {
  /** Removes expired tokens, so that a clock that is set back makes none valid again. */
  forgetExpired(): Promise<void>
}

interface Settled {
  readonly outcome: EnrollOutcome
  /** The node whose old identity has ended. */
  readonly replaced?: number
}

export function createEnrollmentService({ store, sessions, clock }: EnrollmentOptions): EnrollmentService {
  const forgetExpired = () => store.deleteExpired(new Date(clock.now()))

  async function enroll(request: EnrollRequest, address: string): Promise<EnrollOutcome> {
    await forgetExpired()
    const identity = newIdentity(request, address)
    const { outcome, replaced } = await store.withToken(digestOf(request.token), async (token, work) => {
      const own = token && (await work.findByKey(identity.publicKey))
      // The answer to the first try was lost: the same key with the same token is the same enrollment.
      if (token && own?.clusterId === token.clusterId) return { outcome: enrolled(own, token) }
      if (!token || token.usesLeft < 1) throw unknownToken()
      if (own)
        throw new RoostError(
          'conflict',
          'This identity belongs to a node of another cluster. Remove identity.json from the state directory of the agent, and enroll again.',
        )
      refuseSkew(request.clock, clock)
      refuseProtocol(request.protocol)
      return settle(request, identity, token, work)
    })
    if (replaced !== undefined) sessions.revoke(replaced)
    return outcome
  }

  async function settle(
    request: EnrollRequest,
    identity: NewIdentity,
    token: OpenToken,
    work: EnrollmentWork,
  ): Promise<Settled> {
    const known = request.place === 'new' ? undefined : await findSimilar(work, token, request)
    if (known && request.place === undefined) return { outcome: { kind: 'known', node: shown(known) } }
    if (known)
      return { outcome: enrolled(await work.replaceIdentity(known, identity, token), token), replaced: known.id }
    if (request.place === 'take') throw noSimilarNode()
    return { outcome: enrolled(await work.insertNode(identity, token), token) }
  }

  /** The node whose hardware this is. One that is connected at this moment was not reinstalled. */
  async function findSimilar(
    work: EnrollmentWork,
    token: OpenToken,
    request: EnrollRequest,
  ): Promise<SimilarNode | undefined> {
    const candidates = (await work.listSimilar(token.clusterId, request.hardware))
      .filter((node) => !sessions.isConnected(node.id))
      .map((node) => ({ node, match: hardwareMatch(node.hardware, request.hardware) }))
      .filter(({ match }) => match > 0)
      .toSorted((a, b) => b.match - a.match || seenAt(b.node) - seenAt(a.node))
    return candidates[0]?.node
  }

  return { enroll, forgetExpired }
}

function digestOf(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token, 'utf8').digest())
}

function newIdentity(request: EnrollRequest, address: string): NewIdentity {
  return {
    publicKey: new Uint8Array(Buffer.from(request.public_key, 'base64')),
    hostname: request.hostname,
    machineId: request.machine_id,
    bootId: request.boot_id,
    agentVersion: request.agent_version,
    hardware: request.hardware,
    address,
  }
}

function enrolled(node: { readonly id: number; readonly uuid: string }, token: OpenToken): EnrollOutcome {
  return { kind: 'enrolled', node: { node_id: node.id, node_uuid: node.uuid, cluster: token.cluster } }
}

function shown({ id, uuid, hostname, lastSeen }: SimilarNode) {
  return { id, uuid, hostname, last_seen: lastSeen?.toISOString() ?? null }
}

function seenAt({ lastSeen }: SimilarNode): number {
  return lastSeen?.getTime() ?? 0
}

function unknownToken(): RoostError {
  return new RoostError('unauthenticated', 'This token is not valid: create a new one with "roost token create".')
}

function noSimilarNode(): RoostError {
  return new RoostError(
    'conflict',
    'No disconnected node of this cluster has this hardware, so there is no node to take over. Enroll without --take-place.',
  )
}

function refuseSkew(theirs: number, clock: Clock): void {
  const skew = Math.round(theirs - clock.now() / 1000)
  if (Math.abs(skew) <= maxSkewSeconds) return
  const side = skew > 0 ? 'ahead of' : 'behind'
  throw new RoostError(
    'invalid',
    `The clock of this machine is ${Math.abs(skew)} s ${side} that of the control plane. Synchronize it, preferably with NTP, and enroll again. The token is still valid.`,
  )
}

function refuseProtocol(spoken: number): void {
  if (spoken <= protocolVersion) return
  throw new RoostError('invalid', `needs control plane ≥ protocol ${spoken}; this one speaks ${protocolVersion}`)
}
