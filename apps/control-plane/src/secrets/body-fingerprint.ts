import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SecretKey } from './secrets.js'

/** Recognizes a repeated body without storing it, because it may contain a password. */
export interface BodyFingerprint {
  of(body: string): Uint8Array<ArrayBuffer>
  matches(mac: Uint8Array, body: string): boolean
}

/** Computes HMAC-SHA-256 under keys derived from the key file: new ones with the first key, known ones with any. */
export function createBodyFingerprint(keys: readonly SecretKey[]): BodyFingerprint {
  const derived = keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'idempotency', 32)))
  const [current] = derived
  if (current === undefined) throw new Error('secrets.key contains no key. Restore this file from a backup.')
  return {
    of: (body) => new Uint8Array(mac(current, body)),
    matches: (known, body) => derived.some((key) => timingSafeEqual(mac(key, body), known)),
  }
}

function mac(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}
