import type { ListSource } from '../api/use-pages.js'

const pageSize = 1000
const pageMs = 60_000

export interface CompleteList<R> {
  /** Each record once. */
  readonly rows: readonly R[]
  /** Of the list when its last page was read. */
  readonly total: number
  /** Rows moved from one page to another while they were read, so that some may be missing. */
  readonly isMoved: boolean
}

/** Reads a list page by page, at most so many rows of it. */
export async function readAll<R extends object>(read: ListSource<R>['read'], most: number): Promise<CompleteList<R>> {
  const rows = new Map<string, R>()
  const totals = new Set<number>()
  let [count, total] = [0, 1]
  while (count < Math.min(total, most)) {
    const limit = Math.min(pageSize, most - count)
    const page = await read({ limit, offset: count }, AbortSignal.timeout(pageMs))
    total = page.total
    totals.add(total)
    if (page.objects.length === 0) break
    count += page.objects.length
    for (const row of page.objects) rows.set(keyOf(row), row)
  }
  const isComplete = count >= Math.min(total, most)
  return {
    rows: [...rows.values()],
    total,
    isMoved: totals.size > 1 || rows.size < count || (total > 0 && !isComplete),
  }
}

function keyOf(row: { readonly id?: unknown; readonly resource_uri?: unknown }): string {
  return JSON.stringify(row.resource_uri ?? row.id ?? row)
}
