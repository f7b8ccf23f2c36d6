import type { StorageLogin } from '@roost/api-types/agent'
import { type Clock, inParallel, type Log, Periodic, type Stoppable } from '@roost/runtime'
import type { StorageAccount, StorageClient, StorageHead } from './storage-client.js'

export interface RefreshedMount {
  readonly share: number
  readonly container: string
  /** The name of the login in rclone's configuration. */
  readonly remote: string
}

export interface FolderRefreshOptions {
  readonly mounts: () => readonly RefreshedMount[]
  readonly logins: () => Readonly<Record<string, StorageLogin>>
  readonly client: StorageClient
  /** Has the mount of the share list its container again. */
  readonly refresh: (share: number) => Promise<void>
  /** Has the mount forget its listings, so that it asks Swift for the next one. */
  readonly forget: (share: number) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** Clients see within a minute what others write, with the second that the kernel keeps entries. */
const refreshEveryMs = 55_000
/** A listing of more objects takes Swift and rclone too long to be made each minute. */
const mostObjects = 10_000
const atOnce = 2

/**
 * Keeps the listings of mounts new. Mounts keep them for longer than that, so that folders can be listed while Swift is
 * unavailable: those of large containers are forgotten instead, whose clients then get an error.
 */
export function startFolderRefresh(options: FolderRefreshOptions): Stoppable {
  const { mounts, logins, client, refresh, forget, clock, log } = options
  const small = new Set<string>()

  async function update(mount: RefreshedMount, account: StorageAccount | undefined): Promise<void> {
    const { share, container, remote } = mount
    const key = JSON.stringify([remote, container])
    const head = await account?.head(container).catch(() => undefined)
    if (head !== undefined && isAnswer(head)) {
      if (isSmall(head)) small.add(key)
      else small.delete(key)
    }
    if (!small.has(key)) return forget(share)
    if (head !== undefined && isAnswer(head)) await refresh(share)
  }

  const round = new Periodic({
    clock,
    intervalMs: () => refreshEveryMs,
    async work() {
      const accounts = new Map<string, StorageAccount>()
      for (const [remote, login] of Object.entries(logins())) {
        const account = await client.open(login).catch(() => undefined)
        if (account !== undefined) accounts.set(remote, account)
      }
      // The watch for hung mounts handles a mount that does not answer.
      await inParallel(mounts(), atOnce, (mount) => update(mount, accounts.get(mount.remote)))
    },
    onError: (error) => log.error('could not refresh the listings of mounts', { error }),
  })
  return { stop: () => round.stop() }
}

/** Returns whether Swift answered; a missing container is an answer, with nothing to list. */
function isAnswer({ status }: StorageHead): boolean {
  return (status >= 200 && status < 300) || status === 404
}

function isSmall({ objects = 0 }: StorageHead): boolean {
  return objects <= mostObjects
}
