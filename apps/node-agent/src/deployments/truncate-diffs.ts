import type { DeploymentPlan, DriftedItem } from '@roost/api-types/agent'

/** The control plane ends a session for a message above 1 MiB, of which this is for plans and drift. */
const limitBytes = 900 << 10
const leastDiffBytes = 200

/** Cuts the longest diffs of a plan so that it fits into a message. The result depends on the plan alone. */
export function truncatePlanDiffs(plan: DeploymentPlan): DeploymentPlan {
  return { ...plan, files: truncateDiffs(plan.files, plan) }
}

export function truncateDriftDiffs(items: readonly DriftedItem[]): DriftedItem[] {
  return truncateDiffs(items, items)
}

function truncateDiffs<T extends { readonly diff: string }>(entries: readonly T[], message: unknown): T[] {
  let limit = limitBytes
  let truncated = [...entries]
  let excess = sizeOf(message) - limitBytes
  while (excess > 0 && limit > leastDiffBytes) {
    limit = Math.floor(limit / 2)
    truncated = entries.map((entry) => ({ ...entry, diff: cut(entry.diff, limit) }))
    excess = sizeOf(message) - sizeOf(entries) + sizeOf(truncated) - limitBytes
  }
  return truncated
}

/** Keeps complete lines from the beginning, and adds a line with the number of missing ones. */
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
