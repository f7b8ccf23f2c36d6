import { useMutation } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import type { ListSource } from '../api/use-pages.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { downloadCsv, rowsOf } from './csv.js'

const pageSize = 1000
/** A file of more rows is read by a program, which asks the API. */
const most = 50_000

interface ExportProps<R> {
  readonly source: Pick<ListSource<R>, 'name' | 'read'>
}

/** Saves all rows of a list with all their fields, and not only those in view, as a file. */
export function ExportRows<R extends object>({ source: { name, read } }: ExportProps<R>) {
  const save = useMutation({
    mutationFn: async () => downloadCsv(`${name}.csv`, rowsOf(await readAll(read))),
    onError: (error) => toast(errorText(error)),
  })
  return (
    <button type="button" className="btn" aria-busy={save.isPending} onClick={() => save.mutate()}>
      {t('ui.csv')}
    </button>
  )
}

async function readAll<R>(read: ListSource<R>['read']): Promise<readonly R[]> {
  const rows: R[] = []
  for (let total = 1; rows.length < Math.min(total, most);) {
    const page = await read({ limit: pageSize, offset: rows.length }, AbortSignal.timeout(60_000))
    total = page.total
    if (page.objects.length === 0) break
    rows.push(...page.objects)
  }
  return rows
}
