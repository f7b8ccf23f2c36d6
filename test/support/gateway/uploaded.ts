import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayLab } from './lab.js'
import type { SavedFile, Saves } from './saves.js'

/** How what a container holds differs from what clients saved. */
export interface Difference {
  readonly missing: readonly string[]
  /** Names whose object has another MD5. */
  readonly wrong: readonly string[]
  /** Names that no client saved last. */
  readonly extra: readonly string[]
}

export async function findDifference(
  { objects }: Pick<GatewayLab, 'objects'>,
  container: string,
  saved: readonly SavedFile[],
): Promise<Difference> {
  const stored = await objects.entries(container)
  const expected = new Set(saved.map(({ name }) => name))
  return {
    missing: saved.map(({ name }) => name).filter((name) => !stored.has(name)),
    wrong: saved.filter(({ name, md5 }) => stored.has(name) && stored.get(name)?.md5 !== md5).map(({ name }) => name),
    extra: [...stored.keys()].filter((name) => !expected.has(name)),
  }
}

export interface UploadResult extends Difference {
  /** From the given moment until everything was in Swift, or until the deadline. */
  readonly seconds: number
}

/** Waits until all that was saved is in Swift with its MD5, at most until three times the promised time has passed since a moment. */
export async function waitForUpload(
  lab: Pick<GatewayLab, 'objects'>,
  container: string,
  { saved }: Saves,
  { since, promisedSeconds }: { readonly since: number; readonly promisedSeconds: number },
): Promise<UploadResult> {
  for (;;) {
    const difference = await findDifference(lab, container, saved)
    const seconds = Math.round((Date.now() - since) / 1000)
    const isComplete = difference.missing.length + difference.wrong.length === 0
    if (isComplete || seconds > 3 * promisedSeconds) return { ...difference, seconds }
    await sleep(500)
  }
}

/** One line for the record of a run. */
export function uploadSummary(
  container: string,
  saves: Saves,
  { missing, wrong, extra, seconds }: UploadResult,
): string {
  const { saved, refused, slowestCallMs } = saves
  return [
    `${container}: ${saved.length} saved, slowest call ${slowestCallMs} ms`,
    `refused ${refused.length} (${refused.slice(0, 3).join('; ')})`,
    `after ${seconds} s: missing ${missing.length}, wrong ${wrong.length}`,
    `extra ${extra.length} (${extra.slice(0, 3).join(' ')})`,
  ].join(', ')
}

/** How many files of a share are not in Swift, by the cache of its mount itself. */
export async function dirtyFiles({ gateway }: Pick<GatewayLab, 'gateway'>, share: number): Promise<number> {
  const metadata = `${gateway.dir}/agent/mounts/cache/${share}/vfsMeta`
  return Number(await gateway.exec(`grep -rlE '"Dirty": ?true' ${metadata} 2>/dev/null | wc -l`))
}
