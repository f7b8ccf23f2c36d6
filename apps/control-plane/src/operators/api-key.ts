import { createHash, randomBytes } from 'node:crypto'

/** A new key of 192 random bits, in characters that need no quoting in a shell or a header. */
export function newApiKey(): string {
  return randomBytes(24).toString('base64url')
}

/** What the database keeps of a key: its SHA-256. */
export function digestOfKey(key: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(key, 'utf8').digest())
}
