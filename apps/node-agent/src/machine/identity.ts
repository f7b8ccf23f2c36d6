import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { hostname as systemHostname } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Machine } from './machine.js'
import { removeManagedFile, writeManagedFile } from './managed-file.js'
import { readManagedRecord } from './managed-record.js'

const Enrollment = z.object({
  /** The control plane's address, such as `https://roost.example:8443`. */
  server: z.string(),
  node_id: z.number(),
  node_uuid: z.string(),
  cluster: z.string(),
})
export type Enrollment = z.infer<typeof Enrollment>

const KeyFile = z.object({
  /** Ed25519, PKCS#8 in PEM. */
  private_key: z.string(),
  /** Stands in for the machine id where the machine has none. */
  installation_id: z.string(),
})
type KeyFile = z.infer<typeof KeyFile>

/** The spelling of `enrolment` is that of the files of earlier versions. */
const IdentityFile = z.extend(KeyFile, { enrolment: Enrollment })

/** The key that stands for this machine. */
export interface MachineKey {
  /** The raw public key, 32 bytes in base64. */
  readonly publicKey: string
  readonly installationId: string
  /** Signs a text, in base64. */
  sign(text: string): string
}

const identityFile = 'identity.json'
const keyFile = 'enrolling.json'

/** The identity of this node. It is kept until an operator removes the node. */
export interface Identity extends MachineKey {
  readonly enrollment: Enrollment
}

/** Something that an operator has to put right, in a sentence. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError'
}

/** Reads the identity of a state directory; undefined before the enrollment. */
export async function readIdentity(dataDir: string): Promise<Identity | undefined> {
  const file = await readAs(IdentityFile, join(dataDir, identityFile))
  return file && { ...keyOf(file), enrollment: file.enrolment }
}

/**
 * Returns the key for an enrollment, and makes one if there is none. It is kept until the enrollment is saved: an answer that is lost
 * on the way must not leave a node behind that no machine can be.
 */
export async function ensureKey(dataDir: string): Promise<MachineKey> {
  const path = join(dataDir, keyFile)
  const present = await readAs(KeyFile, path)
  if (present !== undefined) return keyOf(present)
  const { privateKey } = generateKeyPairSync('ed25519')
  const file: KeyFile = {
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    installation_id: randomUUID(),
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await writeJson(path, file)
  return keyOf(file)
}

/** Makes the key the identity of the enrolled node. */
export async function keepIdentity(dataDir: string, enrollment: Enrollment): Promise<void> {
  const path = join(dataDir, keyFile)
  const file = await readAs(KeyFile, path)
  if (file === undefined) throw new IdentityError(`${path} does not exist: enroll again.`)
  await writeJson(join(dataDir, identityFile), { ...file, enrolment: enrollment })
  await removeManagedFile(path)
}

/** Puts the identity of a node that was removed aside, so that the next enrollment makes a new one. */
export async function retireIdentity(dataDir: string): Promise<void> {
  await rename(join(dataDir, identityFile), join(dataDir, 'identity.removed.json'))
}

/** Distinguishes this machine, and this start of it, from a copy of its state directory elsewhere. */
export interface MachineIds {
  readonly machineId: string
  readonly bootId: string
  readonly hostname: string
}

export function readMachineIds(machine: Machine, key: MachineKey): MachineIds {
  const first = (...paths: readonly string[]): string =>
    paths.map((path) => (machine.read(path) ?? '').trim()).find((text) => text !== '' && text !== 'uninitialized') ?? ''
  return {
    machineId: first('/etc/machine-id', '/var/lib/dbus/machine-id') || key.installationId,
    bootId: first('/proc/sys/kernel/random/boot_id'),
    hostname: first('/proc/sys/kernel/hostname', '/etc/hostname') || systemHostname(),
  }
}

function readAs<S extends z.ZodMiniType>(schema: S, path: string): Promise<z.infer<S> | undefined> {
  const remedy = 'Restore it from a backup, or remove it and enroll this node again with --take-place.'
  return readManagedRecord(path, schema, remedy)
}

async function writeJson(path: string, content: object): Promise<void> {
  await writeManagedFile(path, `${JSON.stringify(content, null, 2)}\n`)
}

function keyOf(file: KeyFile): MachineKey {
  const key = createPrivateKey(file.private_key)
  return {
    publicKey: rawPublicKey(key),
    installationId: file.installation_id,
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  }
}

/** Returns the last 32 bytes of an Ed25519 key in DER, which are the key itself. */
function rawPublicKey(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
}
