import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PackageFormat } from '@roost/api-types/agent'
import type { RunCommand } from '../machine/run-command.js'

/** The package that this program was installed from. */
export interface Installation {
  readonly version: string
  readonly format: PackageFormat
  readonly arch: string
  /** Verifies the signatures of other versions. */
  readonly releaseKey: KeyObject
}

/** By Node's name. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Returns the installation of the program in a folder; undefined for one that was not installed from a package. */
export async function findInstallation(
  folder: string,
  version: string,
  run: RunCommand,
): Promise<Installation | undefined> {
  const key = join(folder, 'release.pub')
  if (!existsSync(key)) return undefined
  const releaseKey = createPublicKey(await readFile(key))
  const arch = architectures[process.arch] ?? process.arch
  return { version, format: await formatOf(version, run), arch, releaseKey }
}

/** A version that no package manager knows was unpacked. */
async function formatOf(version: string, run: RunCommand): Promise<PackageFormat> {
  const deb = await run('dpkg-query', ['-W', '-f', '${Version}', 'roost-agent'], { deadlineMs: 10_000 })
  if (deb.exitCode === 0 && deb.stdout === version) return 'deb'
  const rpm = await run('rpm', ['-q', '--qf', '%{VERSION}', 'roost-agent'], { deadlineMs: 10_000 })
  return rpm.exitCode === 0 && rpm.stdout === version ? 'rpm' : 'tar'
}

const verifyAsync = promisify(verify)

/** Throws unless the release key has signed these bytes. */
export async function requireSignature(
  name: string,
  bytes: Buffer,
  signature: string,
  releaseKey: KeyObject,
): Promise<void> {
  const isSigned = await verifyAsync(null, bytes, releaseKey, Buffer.from(signature, 'base64'))
  if (!isSigned)
    throw new Error(
      `${name} is not signed by the release key of the installed agent. Nothing was changed. Install packages of another key by hand.`,
    )
}
