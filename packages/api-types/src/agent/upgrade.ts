import * as z from 'zod/mini'
import { Bytes, list, Name, Text } from './bounds.js'

/** Architectures by Debian's name. */
export const PackageArch = z.enum(['amd64', 'arm64'])
export const PackageFormat = z.enum(['deb', 'rpm', 'tar'])
export type PackageFormat = z.infer<typeof PackageFormat>

/** A package of the agent that the control plane offers at `/packages/<name>`. */
export const AgentPackage = z.object({
  /** The name of the file. */
  name: Name.check(z.regex(/^[A-Za-z0-9][\w.+~-]{0,199}$/)),
  version: Name,
  arch: PackageArch,
  format: PackageFormat,
  size_bytes: Bytes,
  sha256: Name.check(z.regex(/^[0-9a-f]{64}$/)),
  /** Ed25519 by the release key over the bytes of the file, in base64. */
  signature: Name.check(z.regex(/^[A-Za-z0-9+/]{86}==$/)),
})
export type AgentPackage = z.infer<typeof AgentPackage>

/** In a request: those of the new version, and of the one to return to. */
const maxPackages = 100

export const AgentUpgrade = z.object({
  /** Names this attempt. The same one again is answered with its progress. */
  upgrade: Name.check(z.regex(/^[\w-]{1,64}$/)),
  version: Name,
  packages: list(AgentPackage, maxPackages),
})
export type AgentUpgrade = z.infer<typeof AgentUpgrade>

/**
 * `installing`: the root helper works, or waits for the new agent's first report. `returned`: the former version runs
 * again. `refused`: nothing was changed. `failed`: the former version could not be installed again.
 */
export const AgentUpgradeState = z.enum([
  'waiting',
  'downloading',
  'installing',
  'installed',
  'refused',
  'returned',
  'failed',
])
export type AgentUpgradeState = z.infer<typeof AgentUpgradeState>

export const AgentUpgradeProgress = z.object({ state: AgentUpgradeState, message: Text })
export type AgentUpgradeProgress = z.infer<typeof AgentUpgradeProgress>

/** The capability in the hello of an agent that installs upgrades. */
export const upgradeCapability = 'upgrade'
