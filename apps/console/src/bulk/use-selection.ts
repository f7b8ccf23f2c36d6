import { useMutation } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { errorText } from '../api/error-text.js'
import type { ListSource } from '../api/use-pages.js'
import { readAll } from '../list/read-all.js'
import type { RowSelection } from '../ui/table/row-selection.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

interface Identified {
  readonly id: number | string
}

export interface Selection<R> extends Omit<RowSelection<R>, 'nameOf'> {
  /** Selects these rows and no others. */
  readonly replace: (rows: readonly R[]) => void
}

/** Changes of more records are for a program, which asks the API. */
const most = 5_000

/** The selected rows of a list. Other filters select none: what is not in the list is not changed by mistake. */
export function useSelection<R extends Identified>(filters: object, read: ListSource<R>['read']): Selection<R> {
  const [state, setState] = useState({ filters, rows: mapOf<R>([]) })
  const rows = state.filters === filters ? state.rows : mapOf<R>([])
  const select = useCallback(
    (changed: readonly R[], isOn: boolean) =>
      setState((old) => {
        const next = new Map(old.filters === filters ? old.rows : [])
        for (const row of changed) {
          if (isOn) next.set(row.id, row)
          else next.delete(row.id)
        }
        return { filters, rows: next }
      }),
    [filters],
  )
  const replace = (list: readonly R[]) => setState({ filters, rows: mapOf(list) })
  const all = useMutation({
    mutationFn: async () => {
      const { rows: found, total, isMoved } = await readAll(read, most)
      replace(found)
      if (total > most) toast(t('bulk.cut', { most, total }))
      if (isMoved) toast(t('bulk.moved'))
    },
    onError: (error) => toast(errorText(error)),
  })
  return {
    rows: [...rows.values()],
    has: ({ id }) => rows.has(id),
    select,
    replace,
    selectAll: () => !all.isPending && all.mutate(),
    isReading: all.isPending,
  }
}

function mapOf<R extends Identified>(rows: readonly R[]): ReadonlyMap<R['id'], R> {
  return new Map(rows.map((row) => [row.id, row]))
}
