import * as z from 'zod/mini'

/** Identifies a machine across a reinstall. Parts that the machine does not report are absent. */
export const Hardware = z.object({
  system_uuid: z.nullable(z.string()),
  disk_serials: z.array(z.string()),
  macs: z.array(z.string()),
  filesystem_uuids: z.array(z.string()),
})
export type Hardware = z.infer<typeof Hardware>

/** Body of `POST /agent/v1/enroll`. */
export const EnrollRequest = z.object({
  token: z.string(),
  /** The raw Ed25519 public key, 32 bytes in base64. */
  public_key: z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=$/)),
  hostname: z.string().check(z.minLength(1), z.maxLength(253)),
  machine_id: z.string().check(z.minLength(1), z.maxLength(128)),
  boot_id: z.string().check(z.maxLength(128)),
  agent_version: z.string().check(z.maxLength(64)),
  protocol: z.number(),
  /** The agent's clock in Unix seconds. */
  clock: z.number(),
  hardware: Hardware,
  /** What to do when this hardware is a known node: take its place, or be a new node. Absent: ask. */
  place: z.optional(z.enum(['take', 'new'])),
})
export type EnrollRequest = z.infer<typeof EnrollRequest>

export const EnrollResponse = z.object({
  node_id: z.number(),
  node_uuid: z.string(),
  cluster: z.string(),
  /** PEM of the certificate authorities to trust from now on. */
  ca: z.array(z.string()),
})
export type EnrollResponse = z.infer<typeof EnrollResponse>

/** Body of the 409 that offers a known node: the token is not used up, enroll again with `place`. */
export const EnrollConflict = z.object({
  error: z.string(),
  known_node: z.object({ id: z.number(), uuid: z.string(), hostname: z.string(), last_seen: z.nullable(z.string()) }),
})
export type EnrollConflict = z.infer<typeof EnrollConflict>
