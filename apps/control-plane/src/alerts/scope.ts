import { resourceUri } from '@roost/api-types/rest'

/** What an alert is about: the cluster of an id; null: this control plane itself. */
export type AlertScope = number | null

/** Returns the cluster of a record; null where it is of this control plane. */
export function scopeUri(scope: AlertScope): string | null {
  return scope === null ? null : resourceUri('clusters', scope)
}

/** Returns the name of the cluster for labels and messages; empty where they are of this control plane. */
export function scopeName(cluster: { readonly name: string } | null | undefined): string {
  return cluster?.name ?? ''
}
