import type { LeftoverRemoval, ShareUploadsAnswer } from '@roost/api-types/agent'
import { type Clock, inParallel, type Log } from '@roost/runtime'
import type { ObjectClient, StorageObjects } from '../health/storage-client.js'
import type { Logins } from '../rclone/config.js'
import { judgeLeftover } from './leftover-verdict.js'
import type { RenamedFile, RenamedFiles } from './files/renamed-files.js'

export interface LeftoversOptions {
  readonly renamed: RenamedFiles
  /** Returns the logins of mounts, by the name of their remote. */
  readonly logins: () => Logins
  readonly client: ObjectClient
  /** Returns since when Swift answers to the login of a mount, on the monotonic clock. */
  readonly answeringSince: (remote: string) => number | undefined
  /** Returns whether the share's cache has this file, and Swift does not. */
  readonly isDirty: (share: number, key: string) => boolean
  /** Returns whether the share's cache has any data of this file. */
  readonly isCached: (share: number, key: string) => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

type Leftover = RenamedFile & { readonly leftoverBytes: number }

/** An upload that a rename interrupted may reach Swift a little later. */
const watchedMs = 120_000
/** Clients remove leftovers, too. */
const checkAgainMs = 300_000
const checksAtOnce = 4
const checksPerRound = 200
const namedLeftovers = 20
const removalsAtOnce = 8
const removalsPerRequest = 200
const removalMs = 20_000

/** Finds objects under old names of files that were renamed during their upload; removes them on request. */
export class Leftovers {
  readonly #options: LeftoversOptions
  readonly #checkedAtMs = new WeakMap<RenamedFile, number>()

  constructor(options: LeftoversOptions) {
    this.#options = options
  }

  count(share: number): number {
    return this.#of(share).length
  }

  /** Lists the oldest leftovers, for an answer. */
  oldest(share: number): ShareUploadsAnswer['leftovers'] {
    return this.#of(share)
      .slice(0, namedLeftovers)
      .map(({ from, to, leftoverBytes, renamedAtMs }) => ({
        name: from,
        size_bytes: leftoverBytes,
        renamed_to: to,
        since: renamedAtMs / 1_000,
      }))
  }

  /** Asks Swift about files that were renamed. Never call it twice at the same time. */
  async check(ending?: AbortSignal): Promise<void> {
    const { renamed, logins, answeringSince } = this.#options
    for (const file of renamed.list()) if (logins()[file.remote] === undefined) renamed.forget(file)
    const isAnswering = ({ remote }: RenamedFile) => answeringSince(remote) !== undefined
    const due = renamed.list().filter((file) => isAnswering(file) && this.#isDue(file))
    const checked = due.slice(0, checksPerRound)
    const accounts = await this.#accounts(checked, ending)
    // A failed check is repeated in the next round.
    await inParallel(checked, checksAtOnce, async (file) => {
      const account = accounts.get(file.remote)
      // Swift may stop answering meanwhile.
      if (account !== undefined && ending?.aborted !== true && isAnswering(file)) await this.#check(file, account)
    })
    this.save()
  }

  /** Writes renamed files to the disk; a failed write is repeated with the next change. */
  save(): void {
    const { renamed, log } = this.#options
    void renamed.save().catch((error: unknown) => log.warn('could not record renamed files', { error }))
  }

  /** Removes the named leftovers, or the oldest, after it has checked each again. Rejects when Swift does not answer. */
  async remove(share: number, names: readonly string[] | null): Promise<LeftoverRemoval> {
    const { clock } = this.#options
    const found = new Map(this.#of(share).map((file) => [file.from, file]))
    const chosen = [...new Set(names ?? found.keys())].slice(0, removalsPerRequest)
    const removal = { removed: [] as string[], kept: [] as { name: string; reason: string }[] }
    const accounts = await this.#accounts([...found.values()])
    const deadline = clock.monotonic() + removalMs
    const faults = await inParallel(chosen, removalsAtOnce, async (name) => {
      const file = found.get(name)
      const account = file === undefined ? undefined : accounts.get(file.remote)
      const reason = await this.#remove(file, account, clock.monotonic() < deadline)
      if (reason === undefined) removal.removed.push(name)
      else removal.kept.push({ name, reason })
    })
    for (const { item, error } of faults) removal.kept.push({ name: item, reason: error.message })
    this.save()
    return removal
  }

  /** Removes a leftover; returns the reason to keep it, or undefined when it was removed. */
  async #remove(
    file: RenamedFile | undefined,
    account: StorageObjects | undefined,
    hasTime: boolean,
  ): Promise<string | undefined> {
    const { renamed, isCached, log } = this.#options
    if (file === undefined) return 'No rename left this object behind.'
    if (account === undefined) return 'Swift does not answer.'
    if (!hasTime) return 'Swift was too slow to check the object. Try again.'
    if (await isCached(file.share, keyOf(file, file.from)))
      return 'A client has opened the file since then. Remove the file in the share.'
    const verdict = await judgeLeftover(account, file)
    if ('kept' in verdict) {
      renamed.forget(file)
      return verdict.kept
    }
    // A client may have written to it meanwhile.
    if (!renamed.list().includes(file)) return 'A client has written the file since then.'
    await account.removeObject(file.container, file.from)
    renamed.forget(file)
    const { share, from, to } = file
    log.info('removed an object that a rename left behind in Swift', {
      share,
      name: from,
      renamedTo: to,
      bytes: verdict.bytes,
    })
    return undefined
  }

  #of(share: number): readonly Leftover[] {
    return this.#options.renamed
      .list()
      .filter((file): file is Leftover => file.share === share && file.leftoverBytes !== null)
      .toSorted((one, other) => one.renamedAtMs - other.renamedAtMs)
  }

  #isDue(file: RenamedFile): boolean {
    const { isDirty, clock } = this.#options
    if (isDirty(file.share, keyOf(file, file.to))) return false
    const pauseMs = file.leftoverBytes === null ? 0 : checkAgainMs
    return clock.monotonic() - (this.#checkedAtMs.get(file) ?? -Infinity) >= pauseMs
  }

  async #check(file: RenamedFile, account: StorageObjects): Promise<void> {
    const { renamed, isCached, clock } = this.#options
    const verdict = await judgeLeftover(account, file)
    const isKnown = file.leftoverBytes !== null
    // A client that only opens a leftover does not change that it is one.
    const isOther = 'kept' in verdict || (!isKnown && (await isCached(file.share, keyOf(file, file.from))))
    if (!isOther) {
      const leftover = isKnown ? file : { ...file, leftoverBytes: verdict.bytes }
      renamed.replace(file, leftover)
      this.#checkedAtMs.set(leftover, clock.monotonic())
    } else if (isKnown || clock.now() - file.renamedAtMs > watchedMs) renamed.forget(file)
  }

  /** Opens the accounts that answer, by the names of their remotes. */
  async #accounts(files: readonly RenamedFile[], ending?: AbortSignal): Promise<ReadonlyMap<string, StorageObjects>> {
    const { logins, client } = this.#options
    const accounts = new Map<string, StorageObjects>()
    await inParallel([...new Set(files.map(({ remote }) => remote))], checksAtOnce, async (remote) => {
      const login = logins()[remote]
      if (login !== undefined) accounts.set(remote, await client.open(login, ending))
    })
    return accounts
  }
}

/** Returns the key that the cache's folders use. */
function keyOf({ remote, container }: RenamedFile, path: string): string {
  return `${remote}/${container}/${path}`
}
