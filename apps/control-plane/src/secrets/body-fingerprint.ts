import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SecretKey } from './secrets.js'

/** Recognises a body that came before, without keeping it: what a body holds may be a password. */
export interface BodyMac {
  of(body: string): Uint8Array<ArrayBuffer>
  matches(mac: Uint8Array, body: string): boolean
}

/** HMAC-SHA-256 under keys derived from those of the key file. The first key makes, all of them recognise. */
export function createBodyMac(keys: readonly SecretKey[]): BodyMac {
  const derived = keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'idempotency', 32)))
  const [current] = derived
  if (current === undefined) throw new Error('No key to recognise bodies with.')
  return {
    of: (body) => new Uint8Array(mac(current, body)),
    matches: (known, body) => derived.some((key) => timingSafeEqual(mac(key, body), known)),
  }
}

function mac(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}
