import type { Source } from '../api/queries/history.js'

/** More charts are not compared by eye. */
const maxSources = 6

/** Returns what an address asks for: ids of nodes separated by commas, or the cluster. */
export function sourcesOf(text: string | undefined, cluster: number): readonly Source[] {
  const ids = (text ?? '').split(/[\s,]+/).filter((part) => /^\d{1,9}$/.test(part))
  if (ids.length === 0) return [{ of: 'cluster', id: cluster }]
  return [...new Set(ids)].slice(0, maxSources).map((id) => ({ of: 'node', id: Number(id) }))
}

/** Returns the names that a pattern matches, in which `*` stands for any characters. */
export function matchingNames(names: readonly string[], patterns: readonly string[]): readonly string[] {
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    return new RegExp(`^${parts.join('.*')}$`)
  })
  return names.filter((name) => expressions.some((expression) => expression.test(name)))
}
