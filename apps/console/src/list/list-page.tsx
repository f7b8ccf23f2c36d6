import type { ReactNode } from 'react'
import { errorText } from '../api/error-text.js'
import type { usePages } from '../api/use-pages.js'
import { DataTable } from '../ui/data-table.js'
import type { DataTableProps } from '../ui/data-table.js'
import { Failed } from '../ui/empty.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { ExportRows } from './export.js'
import { useSearchChange } from './use-search-change.js'
import { ViewsButton } from './views-button.js'

interface ListTableProps<R> extends Pick<DataTableProps<R>, 'columns' | 'order' | 'onOpen' | 'empty' | 'selection'> {
  readonly title: string
  readonly pages: ReturnType<typeof usePages<R>>
}

interface ListPageProps<R> extends ListTableProps<R> {
  /** Returns how many rows there are, as a text. */
  readonly countOf: (total: number) => string
  readonly actions?: ReactNode
  /** What saves the list as a file, where the server makes it. */
  readonly csv?: ReactNode
  /** The row that is open, above the list. */
  readonly detail?: ReactNode
  /** What is between the title and the table: tabs and filters. */
  readonly children: ReactNode
}

/** A screen with a list of the server, whose order is in the address. */
export function ListPage<R extends object>(props: ListPageProps<R>) {
  const { countOf, actions, csv, detail, children, ...table } = props
  const { title, pages } = table
  const count = pages.isPending ? t('ui.loading') : countOf(pages.total)
  return (
    <Page
      title={title}
      state={<span role="status">{count}</span>}
      actions={
        <>
          <ViewsButton />
          {csv ?? <ExportRows name={pages.source.name} reads={[pages.source.read]} />}
          {actions}
        </>
      }
      fills
    >
      {children}
      <ListTable {...table} />
      {detail}
    </Page>
  )
}

/** A table of a list of the server, or why it could not be read. */
function ListTable<R>({ title, pages, empty, ...table }: ListTableProps<R>) {
  const { error, total, isPending, rowAt, onRange, refetch } = pages
  const change = useSearchChange()
  if (error !== null && total === 0) return <Failed message={errorText(error)} onRetry={refetch} />
  return (
    <DataTable
      {...table}
      label={title}
      total={total}
      rowAt={rowAt}
      onRange={onRange}
      onOrder={(order) => change({ order }, { replace: true })}
      empty={isPending ? null : empty}
    />
  )
}
