import { useMutation } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import { auditList } from '../api/queries/audit.js'
import { downloadCsv } from '../list/csv.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

const pageSize = 1000
/** A file of more rows is read by a program, which asks the API. */
const most = 50_000
const head = ['id', 'at', 'operator', 'address', 'request_id', 'action', 'resource', 'resource_id', 'changes'] as const

interface ExportProps {
  readonly filters: Record<string, string>
  readonly order: string
}

/** Saves what the filters select as a file. */
export function ExportAudit({ filters, order }: ExportProps) {
  const save = useMutation({
    mutationFn: async () => {
      const { read } = auditList(filters, order)
      const rows: unknown[][] = []
      for (let total = 1; rows.length < Math.min(total, most);) {
        const page = await read({ limit: pageSize, offset: rows.length }, AbortSignal.timeout(60_000))
        total = page.total
        if (page.objects.length === 0) break
        rows.push(...page.objects.map((event) => head.map((field) => event[field])))
      }
      downloadCsv('audit.csv', [head, ...rows])
    },
    onError: (error) => toast(errorText(error)),
  })
  return (
    <button type="button" className="btn" aria-busy={save.isPending} onClick={() => save.mutate()}>
      {t('ui.csv')}
    </button>
  )
}
