import { useMutation } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import type { ListSource } from '../api/use-pages.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { downloadCsv, rowsOf } from './csv.js'
import { readAll } from './read-all.js'

/** A file of more rows is read by a program, which asks the API. */
const most = 50_000

interface ExportProps<R> {
  readonly name: string
  /** What the button says where a screen has several. */
  readonly label?: string
  /** What reads the pages of each list that the screen shows as one. */
  readonly reads: readonly ListSource<R>['read'][]
  /** Returns the rows that the screen shows, in its order, where the server does not. */
  readonly arrange?: (rows: readonly R[]) => readonly R[]
}

/** Saves all rows of a list with all their fields, and not only those in view, as a file. */
export function ExportRows<R extends object>({
  name,
  label = t('ui.csv'),
  reads,
  arrange = (rows) => rows,
}: ExportProps<R>) {
  const save = useMutation({
    mutationFn: async () => {
      const lists = await Promise.all(reads.map((read) => readAll(read, most)))
      downloadCsv(`${name}.csv`, rowsOf(arrange(lists.flatMap(({ rows }) => rows))))
      const cut = lists.find(({ total }) => total > most)
      if (cut !== undefined) toast(t('list.csv.cut', { most, total: cut.total }))
      if (lists.some(({ isMoved }) => isMoved)) toast(t('list.csv.moved'))
    },
    onError: (error) => toast(errorText(error)),
  })
  return (
    <button
      type="button"
      className="btn"
      aria-disabled={save.isPending}
      aria-busy={save.isPending}
      onClick={() => !save.isPending && save.mutate()}
    >
      {label}
    </button>
  )
}
