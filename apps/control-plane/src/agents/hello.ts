import { createPublicKey, verify } from 'node:crypto'
import { closeCodes, Hello, helloText, isTooDeep, NodeUuid } from '@roost/api-types/agent'
import { safeParse } from 'zod/mini'
import type { Identities, Identity } from './fleet.js'

export interface Accepted {
  readonly kind: 'accepted'
  readonly identity: Identity
  readonly hello: Hello
}

/** `identity` is known where a signature proved it: such a node may be shown as `needs_upgrade`. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly code: number
  readonly message: string
  /** The node that a wrong signature claims. */
  readonly claimed?: Identity
  /** Set when the protocol of the agent is too old or too new. */
  readonly incompatible?: Accepted
}

const wrong: Rejected = {
  kind: 'rejected',
  code: closeCodes.unauthenticated,
  message: 'The control plane does not know this identity. Enroll this machine again.',
}

/** Verifies the answer to a challenge. An unknown node and a wrong signature get the same refusal, to reveal nothing. */
export async function judgeHello(
  text: string,
  nonce: string,
  identities: Identities,
  protocol: { readonly oldest: number; readonly current: number },
): Promise<Accepted | Rejected> {
  const said = parse(text)
  if (said === undefined || said.type !== 'hello') return wrong
  // A newer agent may sign other data: only its protocol number can be read.
  if (typeof said.protocol === 'number' && said.protocol > protocol.current)
    return tooNew(said.protocol, protocol.current, await signerOf(said, nonce, identities))
  const parsed = safeParse(Hello, said)
  if (!parsed.success) return wrong
  return judgeSigner(parsed.data, nonce, identities, protocol.oldest)
}

async function judgeSigner(
  hello: Hello,
  nonce: string,
  identities: Identities,
  oldest: number,
): Promise<Accepted | Rejected> {
  if (!safeParse(NodeUuid, hello.node_uuid).success) return wrong
  const signed = (key: Uint8Array) => isSigned(helloText(nonce, hello), hello.signature, key)
  const identity = await identities.find(hello.node_uuid)
  if (identity && signed(identity.publicKey)) {
    const accepted: Accepted = { kind: 'accepted', identity, hello }
    return hello.protocol < oldest ? tooOld(accepted, oldest) : accepted
  }
  const revoked = await identities.revokedKeys(hello.node_uuid)
  if (revoked.some(signed)) return removed
  return identity ? { ...wrong, claimed: identity } : wrong
}

/** Returns the node that sent the hello, if its signature is valid in this version. */
async function signerOf(said: unknown, nonce: string, identities: Identities): Promise<Accepted | undefined> {
  const parsed = safeParse(Hello, said)
  if (!parsed.success) return undefined
  const judged = await judgeSigner(parsed.data, nonce, identities, 0)
  return judged.kind === 'accepted' ? judged : undefined
}

const removed: Rejected = {
  kind: 'rejected',
  code: closeCodes.revoked,
  message: 'This node was removed by an operator. Enroll again to add it.',
}

function tooNew(spoken: number, current: number, refused: Accepted | undefined): Rejected {
  return {
    kind: 'rejected',
    code: closeCodes.needsUpgrade,
    message: `needs control plane ≥ protocol ${spoken}; this one speaks ${current}`,
    ...(refused === undefined ? {} : { incompatible: refused }),
  }
}

function tooOld(incompatible: Accepted, oldest: number): Rejected {
  return {
    kind: 'rejected',
    code: closeCodes.needsUpgrade,
    message: `needs agent ≥ protocol ${oldest}; this one speaks ${incompatible.hello.protocol}`,
    incompatible,
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    if (isTooDeep(text)) return undefined
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** The SPKI prefix of an Ed25519 key, before its 32 raw bytes. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

function isSigned(text: string, signature: string, publicKey: Uint8Array): boolean {
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== 64) return false
  const key = createPublicKey({ key: Buffer.concat([spkiPrefix, publicKey]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, bytes)
}
