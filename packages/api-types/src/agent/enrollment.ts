import * as z from 'zod/mini'
import { list, LongText, Name, NodeUuid, Seconds, SmallCount, Text } from './bounds.js'

/** Identifies a machine across a reinstall. Parts that the machine does not report are absent. */
export const Hardware = z.object({
  system_uuid: z.nullable(Name),
  disk_serials: list(Name),
  macs: list(Name),
  filesystem_uuids: list(Name),
})
export type Hardware = z.infer<typeof Hardware>

/** Body of `POST /agent/v1/enroll`. */
export const EnrollRequest = z.object({
  token: Name,
  /** The raw Ed25519 public key, 32 bytes in base64. */
  public_key: z.string().check(z.maxLength(44), z.regex(/^[A-Za-z0-9+/]{43}=$/)),
  hostname: z.string().check(z.minLength(1), z.maxLength(253)),
  machine_id: z.string().check(z.minLength(1), z.maxLength(128)),
  boot_id: z.string().check(z.maxLength(128)),
  agent_version: z.string().check(z.maxLength(64)),
  protocol: SmallCount,
  /** The agent's clock in Unix seconds. */
  clock: Seconds,
  hardware: Hardware,
  /** What to do when this hardware is a known node: take its place, or be a new node. Absent: ask. */
  place: z.optional(z.enum(['take', 'new'])),
})
export type EnrollRequest = z.infer<typeof EnrollRequest>

export const EnrollResponse = z.object({
  node_id: SmallCount.check(z.minimum(1)),
  node_uuid: NodeUuid,
  cluster: Name.check(z.minLength(1)),
  /** PEM of the certificate authorities to trust from now on. */
  ca: list(LongText, 100),
})
export type EnrollResponse = z.infer<typeof EnrollResponse>

/** Body of the 409 that offers a known node: the token is not used up, enroll again with `place`. */
export const EnrollConflict = z.object({
  error: Text,
  known_node: z.object({ id: SmallCount, uuid: Name, hostname: Name, last_seen: z.nullable(Name) }),
})
export type EnrollConflict = z.infer<typeof EnrollConflict>
