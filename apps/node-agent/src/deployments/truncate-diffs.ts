import type { DeploymentPlan, DriftedItem } from '@roost/api-types/agent'

/** What a message may hold besides; the control plane ends a session for one above 1 MiB. */
const roomBytes = 900 << 10
const leastDiffBytes = 200

/** A plan that fits into a message: the longest diffs are cut, always in the same way. */
export function fitPlan(plan: DeploymentPlan): DeploymentPlan {
  return { ...plan, files: fitDiffs(plan.files, plan) }
}

export function fitDrift(items: readonly DriftedItem[]): DriftedItem[] {
  return fitDiffs(items, items)
}

function fitDiffs<T extends { readonly diff: string }>(entries: readonly T[], whole: unknown): T[] {
  let limit = roomBytes
  let fitted = [...entries]
  let excess = sizeOf(whole) - roomBytes
  while (excess > 0 && limit > leastDiffBytes) {
    limit = Math.floor(limit / 2)
    fitted = entries.map((entry) => ({ ...entry, diff: cut(entry.diff, limit) }))
    excess = sizeOf(whole) - sizeOf(entries) + sizeOf(fitted) - roomBytes
  }
  return fitted
}

/** Whole lines from the beginning, and a line that says what is missing. */
function cut(diff: string, limit: number): string {
  if (diff.length <= limit) return diff
  const end = diff.lastIndexOf('\n', limit)
  const kept = end === -1 ? '' : diff.slice(0, end + 1)
  const missing = diff.slice(kept.length).replace(/\n$/, '').split('\n').length
  return `${kept}\\ ${missing} more lines are not shown: the diff is too long for a message.\n`
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
