import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { link, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder, writeFileAtomically } from '@roost/runtime'
import { StartError } from '../lifecycle/start-error.js'

/** The use of a secret. It can only be decrypted for the same purpose. */
export type SecretPurpose =
  | 'user-password'
  | 'share-password'
  | 'storage-key'
  | 'identity-key'
  | 'desired-state'
  | 'alert-settings'

/** Encrypts secrets that nodes need and that the database must not contain as plain text. */
export interface Secrets {
  seal(purpose: SecretPurpose, text: string): Uint8Array<ArrayBuffer>
  /** Throws SecretError, which names the owner, if the key is not in the file, the purpose differs, or the secret was altered. */
  open(purpose: SecretPurpose, sealed: Uint8Array, owner?: string): string
}

export interface SecretKey {
  /** Eight hexadecimal digits, stored with each secret, so that the key can be replaced step by step. */
  readonly id: string
  readonly key: Uint8Array
}

/** A secret cannot be decrypted: its key is not in the file, its purpose differs, or it was altered. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

// version (1) | key id (4) | nonce (12) | tag (16) | ciphertext
const version = 1
const nonceAt = 5
const tagAt = 17
const textAt = 33

const names: Readonly<Record<SecretPurpose, string>> = {
  'user-password': 'password of the user',
  'share-password': 'password of the share',
  'storage-key': 'storage key of the cluster',
  'identity-key': 'key of the identity service of the cluster',
  'desired-state': 'desired state of the node',
  'alert-settings': 'settings of the alert receiver',
}
const remedies: Readonly<Record<SecretPurpose, string>> = {
  'user-password': 'set this password again',
  'share-password': 'set this password again',
  'storage-key': 'set this key again with "roost cluster set-storage"',
  'identity-key': 'set this key again with "roost cluster set-identity"',
  'desired-state': 'deploy to this node again',
  'alert-settings': 'set them again with "roost alert receiver set"',
}

/** Creates AES-256-GCM encryption. The first key encrypts; all of them decrypt. */
export function createSecrets(keys: readonly SecretKey[]): Secrets {
  const [current] = keys
  if (current === undefined) throw new Error('secrets.key contains no key. Restore this file from a backup.')
  const byId = new Map(keys.map(({ id, key }) => [id, key]))
  return {
    seal(purpose, text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      const parts = [Uint8Array.of(version), Buffer.from(current.id, 'hex'), nonce, cipher.getAuthTag(), body]
      return new Uint8Array(Buffer.concat(parts))
    },
    open(purpose, sealed, owner) {
      const name = owner === undefined ? names[purpose] : `${names[purpose]} ${owner}`
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== version || bytes.length < textAt)
        throw new SecretError(`The stored ${name} is damaged: ${remedies[purpose]}.`)
      const id = keyIdOf(bytes)
      const key = byId.get(id)
      if (key === undefined)
        throw new SecretError(
          `The stored ${name} was encrypted with key ${id}, which is not in secrets.key. Restore that file, or ${remedies[purpose]}.`,
        )
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(nonceAt, tagAt), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(tagAt, textAt))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString('utf8')
      } catch (error) {
        throw new SecretError(
          `The stored ${name} was altered after it was encrypted with key ${id}: ${remedies[purpose]}.`,
          {
            cause: error,
          },
        )
      }
    },
  }
}

/** Returns the id of the key that encrypted a secret. */
export function keyIdOf(sealed: Uint8Array): string {
  return Buffer.from(sealed).toString('hex', 1, nonceAt)
}

/** Returns why the key file does not decrypt the samples, with what to do; undefined if it does. */
export function faultOf(
  secrets: Secrets,
  samples: readonly { readonly purpose: SecretPurpose; readonly sealed: Uint8Array }[],
): string | undefined {
  for (const { purpose, sealed } of samples)
    try {
      secrets.open(purpose, sealed)
    } catch (error) {
      return `${(error as Error).message} Deployments that need this secret fail until then. If the wrong key file was restored, add the lines of the right one to it.`
    }
  return undefined
}

/** Reads the keys of the file, newest first, one per line: id, blank, key in base64. Creates a missing file with one key. */
export async function loadSecretKeys(path: string): Promise<readonly SecretKey[]> {
  const text = await readFile(path, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    await writeNewFile(path, textOf([newSecretKey()]))
    return readFile(path, 'utf8')
  })
  return parseSecretKeys(path, text)
}

export function parseSecretKeys(path: string, text: string): readonly SecretKey[] {
  const lines = text.split('\n').filter((line) => line !== '')
  const keys = lines.flatMap((line) => {
    const [, id, base64 = ''] = /^([0-9a-f]{8}) ([A-Za-z0-9+/]{43}=)$/.exec(line) ?? []
    return id === undefined ? [] : [{ id, key: new Uint8Array(Buffer.from(base64, 'base64')) }]
  })
  if (keys.length === 0 || keys.length < lines.length)
    throw new StartError(
      `${path} is damaged: each line must be the id of a key and the key in base64. Restore the file from a backup.`,
    )
  return keys
}

export function newSecretKey(): SecretKey {
  return { id: randomBytes(4).toString('hex'), key: new Uint8Array(randomBytes(32)) }
}

/** Replaces the file atomically: either the old or the new keys are on disk. */
export async function saveSecretKeys(path: string, keys: readonly SecretKey[]): Promise<void> {
  await writeFileAtomically(path, textOf(keys), { mode: 0o600 })
}

function textOf(keys: readonly SecretKey[]): string {
  return keys.map(({ id, key }) => `${id} ${Buffer.from(key).toString('base64')}\n`).join('')
}

/** Creates a complete file, and never replaces one: if two processes start at once, one file is kept. */
async function writeNewFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`
  await writeFileAtomically(draft, text, { mode: 0o600 })
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  await syncFolder(dirname(path))
}
