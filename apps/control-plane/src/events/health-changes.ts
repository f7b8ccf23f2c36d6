import type { ChangeEvent } from '@roost/api-types/rest'

/** The health of a cluster as a round found it. */
interface Judged {
  readonly id: number
  readonly reasons: readonly { readonly code: string; readonly severity: string; readonly subject: string }[]
}

/** Returns a function that makes changes of the rounds of the health: of clusters with other reasons, and of every capacity. */
export function healthChanges() {
  const last = new Map<number, string>()
  return (clusters: readonly Judged[]): readonly ChangeEvent[] => {
    const changes = clusters.flatMap(({ id, reasons }) => {
      const now = JSON.stringify(reasons.map(({ code, severity, subject }) => [code, severity, subject]))
      const isNew = last.get(id) !== now
      last.set(id, now)
      return [...(isNew ? [changed('health', id)] : []), changed('capacity', id)]
    })
    for (const id of last.keys()) if (!clusters.some((one) => one.id === id)) last.delete(id)
    return changes
  }
}

function changed(topic: 'health' | 'capacity', id: number): ChangeEvent {
  return { topic, resource: 'clusters', id, cluster: id, change: 'changed' }
}
