import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { hostname as systemHostname } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Machine } from './host/machine.js'
import { readManagedFile, writeManagedFile } from './host/managed-file.js'

const Enrolment = z.object({
  /** The control plane's address, such as `https://roost.example:8443`. */
  server: z.string(),
  node_id: z.number(),
  node_uuid: z.string(),
  cluster: z.string(),
})
export type Enrolment = z.infer<typeof Enrolment>

const IdentityFile = z.object({
  /** Ed25519, PKCS#8 in PEM. */
  private_key: z.string(),
  /** Stands in for the machine id where the machine has none. */
  installation_id: z.string(),
  enrolment: z.nullable(Enrolment),
})
type IdentityFile = z.infer<typeof IdentityFile>

/** Who this node is. Made once, and kept through everything but an operator's removal of the node. */
export interface Identity {
  /** The raw public key, 32 bytes in base64. */
  readonly publicKey: string
  readonly installationId: string
  /** Null until the control plane has taken the node in. */
  readonly enrolment: Enrolment | null
  /** The signature over a text, in base64. */
  sign(text: string): string
}

/** Something that an operator has to put right, in a sentence. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError'
}

/** The identity in a state directory; undefined when there is none yet. */
export async function readIdentity(dataDir: string): Promise<Identity | undefined> {
  const path = identityPath(dataDir)
  const bytes = await readManagedFile(path)
  return bytes === undefined ? undefined : fromFile(parseFile(bytes.toString(), path))
}

/** The identity in a state directory, made when there is none yet. The folder is made too, for the owner alone. */
export async function ensureIdentity(dataDir: string): Promise<Identity> {
  const present = await readIdentity(dataDir)
  if (present !== undefined) return present
  const { privateKey } = generateKeyPairSync('ed25519')
  const file: IdentityFile = {
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    installation_id: randomUUID(),
    enrolment: null,
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeFile(dataDir, file)
  return fromFile(file)
}

/** Notes that the control plane has taken the node in. */
export async function enrolIdentity(dataDir: string, enrolment: Enrolment): Promise<void> {
  const path = identityPath(dataDir)
  const bytes = await readManagedFile(path)
  if (bytes === undefined) throw new IdentityError(`${path} is gone: enrol again.`)
  await writeFile(dataDir, { ...parseFile(bytes.toString(), path), enrolment })
}

/** Puts the identity of a node that was removed aside, so that the next enrolment makes a new one. */
export async function forgetIdentity(dataDir: string): Promise<void> {
  await rename(identityPath(dataDir), join(dataDir, 'identity.removed.json'))
}

/** What tells this machine, and this start of it, from a copy of its state directory elsewhere. */
export interface MachineIds {
  readonly machineId: string
  readonly bootId: string
  readonly hostname: string
}

export function readMachineIds(machine: Machine, identity: Identity): MachineIds {
  const first = (...paths: readonly string[]): string =>
    paths.map((path) => (machine.read(path) ?? '').trim()).find((text) => text !== '' && text !== 'uninitialized') ?? ''
  return {
    machineId: first('/etc/machine-id', '/var/lib/dbus/machine-id') || identity.installationId,
    bootId: first('/proc/sys/kernel/random/boot_id'),
    hostname: first('/proc/sys/kernel/hostname', '/etc/hostname') || systemHostname(),
  }
}

function identityPath(dataDir: string): string {
  return join(dataDir, 'identity.json')
}

function parseFile(text: string, path: string): IdentityFile {
  const parsed = IdentityFile.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw new IdentityError(
    `${path} is damaged. Restore it from a backup, or remove it and enrol this node again with --take-place.`,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function writeFile(dataDir: string, file: IdentityFile): Promise<void> {
  await writeManagedFile(identityPath(dataDir), `${JSON.stringify(file, null, 2)}\n`)
}

function fromFile(file: IdentityFile): Identity {
  const key = createPrivateKey(file.private_key)
  return {
    publicKey: rawPublicKey(key),
    installationId: file.installation_id,
    enrolment: file.enrolment,
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  }
}

/** The last 32 bytes of an Ed25519 key in DER are the key itself. */
function rawPublicKey(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
}
