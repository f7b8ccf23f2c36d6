/** A step of a path: a field, an element (negative from the end), or all of them. */
type PathStep = { readonly field: string } | { readonly index: number } | 'all'

const steps = /\.?\*|\[\*\]|\[(-?\d{1,9})\]|\['([^']*)'\]|\.?([A-Za-z_][\w-]*)/y

/** Parses a path such as `[*].node_role.runs_proxy`, with or without `$` and braces as in kubectl; undefined if it is none. */
export function parseJsonPath(text: string): readonly PathStep[] | undefined {
  const path = (/^\{(.*)\}$/s.exec(text)?.[1] ?? text).replace(/^\$/, '')
  const found: PathStep[] = []
  if (path === '' || path === '.') return found
  for (let at = 0; at < path.length; at = steps.lastIndex) {
    steps.lastIndex = at
    const match = steps.exec(path)
    if (match === null) return undefined
    const [, index, quoted, field = quoted] = match
    found.push(index !== undefined ? { index: Number(index) } : field !== undefined ? { field } : 'all')
  }
  return found
}

/** Returns the values that a path leads to; a field that a value does not have leads to none. */
export function valuesAt(value: unknown, path: readonly PathStep[]): readonly unknown[] {
  let values: readonly unknown[] = [value]
  for (const step of path) values = values.flatMap((one) => below(one, step))
  return values
}

function below(value: unknown, step: PathStep): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (step === 'all') return Object.values(value)
  if ('index' in step) {
    const element: unknown = Array.isArray(value) ? value.at(step.index) : undefined
    return element === undefined ? [] : [element]
  }
  return Object.hasOwn(value, step.field) ? [(value as Readonly<Record<string, unknown>>)[step.field]] : []
}
