/** Returns what an alert or a message is about: a cluster by its URI, or the control plane. */
export function scopeCell(cluster: string | null, names: ReadonlyMap<string, string>): string | undefined {
  return cluster === null ? 'control plane' : names.get(cluster)
}
