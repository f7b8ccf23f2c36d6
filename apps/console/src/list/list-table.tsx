import type { ReactNode } from 'react'
import { errorText } from '../api/error-text.js'
import type { usePages } from '../api/use-pages.js'
import { DataTable } from '../ui/data-table.js'
import type { DataTableProps } from '../ui/data-table.js'
import { Failed } from '../ui/empty.js'

type Pages<R> = ReturnType<typeof usePages<R>>

interface ListTableProps<R> extends Pick<DataTableProps<R>, 'label' | 'columns' | 'order' | 'onOrder' | 'onOpen'> {
  readonly pages: Pages<R>
  readonly empty: ReactNode
}

/** A table of a list of the server, or why it could not be read. */
export function ListTable<R>({ pages, empty, ...table }: ListTableProps<R>) {
  const { error, total, isPending, rowAt, onRange, refetch } = pages
  if (error !== null && total === 0) return <Failed message={errorText(error)} onRetry={refetch} />
  return <DataTable {...table} total={total} rowAt={rowAt} onRange={onRange} empty={isPending ? null : empty} />
}
