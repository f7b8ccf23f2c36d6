import { setTimeout as sleep } from 'node:timers/promises'
import { withMemcached } from './memcached.js'
import type { Memcached } from './memcached.js'
import type { Endpoint } from './proxy-settings.js'

/** Which items of a memcached server are removed. */
export interface Selection {
  /** Returns the key of a line of the list whose value has to be read; undefined for other items. */
  readonly keyOf: (item: string) => string | undefined
  readonly isStale: (value: string) => boolean
}

/** Items of one request. */
export const batch = 100
/** The time limit for one server, also with millions of items. */
export const deadlineMs = 60_000
const busyRetryMs = 200
const mostLists = 5

/** Reads the list until it has none of these items: it misses items that memcached is moving. Returns how many were removed. */
export async function removeItems(server: Endpoint, memcached: Memcached, selection: Selection): Promise<number> {
  let removed = 0
  for (let list = 0; list < mostLists; list++) {
    const found = await removeListed(server, memcached, selection)
    if (found === 0) break
    removed += found
  }
  return removed
}

/** Reads the list on a separate connection, only as fast as its items are checked, so that it is never complete in memory. */
async function removeListed(server: Endpoint, memcached: Memcached, { keyOf, isStale }: Selection): Promise<number> {
  let removed = 0
  const remove = async (keys: readonly string[]) => {
    const values = await memcached.get(keys)
    const stale = [...values].filter(([, value]) => isStale(value)).map(([key]) => key)
    if (stale.length > 0) removed += await memcached.remove(stale)
  }
  await withDump(server, async (items) => {
    let keys: string[] = []
    for await (const item of items) {
      const key = keyOf(item)
      if (key === undefined) continue
      keys.push(key)
      if (keys.length === batch) await remove(keys.splice(0))
    }
    if (keys.length > 0) await remove(keys)
  })
  return removed
}

/** Waits for the dump of another proxy's agent: a server runs one at a time. */
async function withDump(server: Endpoint, read: (items: AsyncIterable<string>) => Promise<void>): Promise<void> {
  const end = performance.now() + deadlineMs
  for (;;) {
    try {
      return await withMemcached(server, deadlineMs, (memcached) => read(memcached.items()))
    } catch (error) {
      if (!(error as Error).message.startsWith('BUSY') || performance.now() > end) throw error
      await sleep(busyRetryMs)
    }
  }
}
