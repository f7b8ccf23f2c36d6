import { createHash } from 'node:crypto'
import type { DesiredShare, StorageLogin } from '@roost/api-types/agent'
import * as z from 'zod/mini'
import type { GatewayState } from './mounts.js'

/** rclone strands files that are renamed or meet a network error right after their close if the delay is shorter. */
const shortestWriteBackSeconds = 5

/** Says how the container of a share is mounted. */
export const MountSpec = z.object({
  share: z.number(),
  container: z.string(),
  /** The name of the login in rclone's configuration. */
  remote: z.string(),
  /** Identifies the login, the key included. */
  login: z.string(),
  /** True when the login has authorities of its own. Not part of the fingerprint: `login` is made of them, too. */
  hasCa: z.prefault(z.boolean(), false),
  /** Records of 0.1.0 have the operator's number. */
  writeBackSeconds: z.pipe(z.number(), z.transform(renderedWriteBack)),
  /** True when files that were read and written stay on the gateway's disk. */
  retain: z.boolean(),
  /** Octal text. */
  filePerms: z.string(),
  dirPerms: z.string(),
  /** The operator's; null: an equal part of the disk. It changes without a deployment, and is not part of the fingerprint. */
  cacheMegabytes: z.prefault(z.nullable(z.number()), null),
})
export type MountSpec = z.infer<typeof MountSpec>

/** NFS clients bring numbers of their own for users: who may connect is decided by address, and then may write. */
const nfsPerms = { filePerms: '0666', dirPerms: '0777' }

/** Returns the mounts of a desired state, one for each share. Throws with the remedy when there is no login. */
export function mountSpecs({ shares, storage }: GatewayState): readonly MountSpec[] {
  if (shares.length === 0) return []
  if (storage === null)
    throw new Error(
      'The cluster has no login for the containers of its shares. Set it with `roost cluster set-storage` and deploy again.',
    )
  const remote = remoteName(storage)
  const login = loginDigest(storage)
  return shares.map((share) => ({
    share: share.id,
    container: share.objectstore_container,
    remote,
    login,
    hasCa: storage.ca !== undefined,
    writeBackSeconds: renderedWriteBack(share.upload_delay),
    retain: share.write_retain,
    ...permsOf(share),
    cacheMegabytes: share.cache_size_mb,
  }))
}

/** Returns a name made of URL and account alone, so that uploads continue under a new key. */
export function remoteName(login: AccountLogin): string {
  return `swift-${sha256(...accountOf(login)).slice(0, 12)}`
}

type AccountLogin = Omit<StorageLogin, 'key'>

/** Returns what identifies the account: with Keystone the project for every user, or else the application credential. */
function accountOf(login: AccountLogin): readonly string[] {
  const { auth_url: url, user, project, project_domain: domain = '', region = '' } = login
  if (login.auth_version === undefined) return [url, user]
  if (project !== undefined) return [url, region, 'project', domain, project]
  const { application_credential_id: id, application_credential_name: name = '', user_domain: userDomain = '' } = login
  return [url, region, 'application credential', ...(id === undefined ? [userDomain, user, name] : [id])]
}

/** The login of 0.1.0 has the digest that its mounts were started with. */
function loginDigest({ auth_url: url, user, key, ...later }: StorageLogin): string {
  const more = Object.entries(later).filter(([, value]) => value !== undefined)
  if (more.length === 0) return sha256(url, user, key)
  return sha256(url, user, key, JSON.stringify(more.toSorted(([one], [other]) => (one < other ? -1 : 1))))
}

/** Returns the key of a mount's uploads: of two mounts with one key, the later continues those of the earlier. */
export function keyOf({ share, remote, container }: MountSpec): string {
  return `${share}-${sha256(remote, container).slice(0, 12)}`
}

/** Returns the folder of a mount's files in its cache, below `vfs` and `vfsMeta`. */
export function cacheFolderOf({ remote, container }: MountSpec): string {
  return `${remote}/${container}`
}

export interface MountChanges {
  readonly added: readonly MountSpec[]
  readonly removed: readonly MountSpec[]
  readonly replaced: readonly { readonly before: MountSpec; readonly after: MountSpec }[]
}

export function changesOf(current: readonly MountSpec[], desired: readonly MountSpec[]): MountChanges {
  const before = new Map(current.map((spec) => [spec.share, spec]))
  const after = new Map(desired.map((spec) => [spec.share, spec]))
  return {
    added: desired.filter(({ share }) => !before.has(share)),
    removed: current.filter(({ share }) => !after.has(share)),
    replaced: desired.flatMap((spec) => {
      const old = before.get(spec.share)
      return old === undefined || isSame(old, spec) ? [] : [{ before: old, after: spec }]
    }),
  }
}

export function isSame(one: MountSpec, other: MountSpec): boolean {
  return fingerprint(one) === fingerprint(other)
}

export function fingerprint(spec: MountSpec): string {
  const { share, container, remote, login, writeBackSeconds, retain, filePerms, dirPerms } = spec
  return sha256(...[share, container, remote, login, writeBackSeconds, retain, filePerms, dirPerms].map(String))
}

/** Returns whether a mount with this fingerprint has this specification; 0.1.0 rendered delays that are too short, too. */
export function hasFingerprint(spec: MountSpec, found: string): boolean {
  if (fingerprint(spec) === found) return true
  if (spec.writeBackSeconds > shortestWriteBackSeconds) return false
  return [0, 1, 2, 3, 4].some((writeBackSeconds) => fingerprint({ ...spec, writeBackSeconds }) === found)
}

function renderedWriteBack(seconds: number): number {
  return Math.max(shortestWriteBackSeconds, seconds)
}

function permsOf(share: DesiredShare): Pick<MountSpec, 'filePerms' | 'dirPerms'> {
  if (share.protocol === 'nfs') return nfsPerms
  return { filePerms: perms(share.cifs_create_mask), dirPerms: perms(share.cifs_directory_mask) }
}

/** Removes the bits that change the user who runs a file. */
function perms(mask: string): string {
  return `0${mask.slice(-3)}`
}

function sha256(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
