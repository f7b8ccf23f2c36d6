import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** The key of a node, and the uuid under which the control plane knows it. */
export interface SimulatedIdentity {
  readonly uuid: string
  readonly privateKey: KeyObject
}

/** The raw public key, 32 bytes, as an enrollment carries it. */
export interface NewIdentity extends SimulatedIdentity {
  readonly publicKey: Uint8Array<ArrayBuffer>
}

export function newIdentity(uuid: string = randomUUID()): NewIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  return { uuid, privateKey, publicKey: new Uint8Array(raw) }
}
