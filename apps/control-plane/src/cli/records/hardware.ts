import type { NodeHardware } from '@roost/api-types/rest'
import type { View } from '../terminal/output.js'

/** A value of a part of a machine. */
interface HardwareRow {
  /** Such as `cpu` or `disks`. */
  readonly part: string
  /** Of a part that there may be several of. */
  readonly name: string | null
  readonly field: string
  readonly value: string | number | boolean | null
  /** Why there is no value. */
  readonly reason: string | null
}

export const hardwareView: View<HardwareRow> = {
  columns: {
    PART: ({ part }) => part,
    NAME: ({ name }) => name,
    FIELD: ({ field }) => field,
    VALUE: ({ value }) => value,
    REASON: ({ reason }) => reason,
  },
  name: ({ part, name, field }) => [part, name, field].filter((one) => one !== null && one !== '').join('.'),
}

type Part = Readonly<Record<string, HardwareRow['value']>>

/** Returns a row for each value of a machine, and for each that could not be read. */
export function hardwareRows({
  node: _node,
  read_at: _read,
  unavailable,
  ...parts
}: NodeHardware): readonly HardwareRow[] {
  const rows = Object.entries(parts).flatMap(([part, content]) =>
    [content ?? []].flat().flatMap((one: Part, index) => {
      const name = Array.isArray(content) ? String(one['name'] ?? one['bank'] ?? index) : null
      return Object.entries(one)
        .filter(([field, value]) => value !== null && field !== 'name')
        .map(([field, value]) => ({ part, name, field, value, reason: null }))
    }),
  )
  const missing = Object.entries(unavailable).map(([path, reason]) => {
    const [part = '', ...field] = path.split('.')
    return { part, name: null, field: field.join('.'), value: null, reason }
  })
  return [...rows, ...missing]
}
