import type { AdoptableShare } from '@roost/api-types/agent'
import type { Adoption } from './share-server.js'

export type Fields = AdoptableShare['fields']

/** One share as a file has it. */
export interface ReadShare {
  /** Path of its folder, which contains the share's id. */
  readonly path: string
  readonly fields: Fields
  /** The remaining settings in the file, as text: no field expresses them. */
  readonly rest: string
}

/** Returns the changes of fields that lead from one state of a file to another; undefined where fields alone do not. */
export function adoption(before: readonly ReadShare[], now: readonly ReadShare[]): Adoption {
  if (before.length !== now.length) return undefined
  const known = new Map(before.map((share) => [share.path, share]))
  const adopted: AdoptableShare[] = []
  for (const share of now) {
    const old = known.get(share.path)
    const id = Number(/\/(\d+)$/.exec(share.path)?.[1])
    if (old === undefined || old.rest !== share.rest || !Number.isSafeInteger(id)) return undefined
    known.delete(share.path)
    const changed = Object.entries(share.fields).filter(([field, value]) => old.fields[field] !== value)
    if (changed.length > 0) adopted.push({ id, fields: Object.fromEntries(changed) })
  }
  return adopted
}
