import './audit.css'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { auditList } from '../api/queries/audit.js'
import type { AuditRecord } from '../api/queries/audit.js'
import { usePages } from '../api/use-pages.js'
import { TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { History } from '../ui/icons.js'
import { t } from '../words/text.js'
import { auditColumns } from './columns.js'
import { AuditDetail } from './detail.js'

const fields = ['q', 'operator', 'action', 'resource', 'resource_id', 'request_id', 'from', 'to'] as const
type Field = (typeof fields)[number]
type Conditions = { readonly [F in Field]?: string | undefined }

/** Returns the conditions of the server for those of the address. Days are days of UTC, the end among them. */
function filtersOf({ from, to, ...rest }: Conditions): Record<string, string> {
  const texts = Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return {
    ...Object.fromEntries(texts),
    ...(from === undefined ? {} : { at__gte: `${from}T00:00:00Z` }),
    ...(to === undefined ? {} : { at__lt: nextDay(to) }),
  }
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString()
}

/** Who changed what. All that it shows is in its address. */
export function Audit() {
  const search = useSearch({ from: '/audit' })
  const filter = useSearchChange()
  const { order = '-id', cluster: _cluster, event, ...conditions } = search
  const key = JSON.stringify(conditions)
  const filters = useMemo(() => filtersOf(JSON.parse(key) as Conditions), [key])
  const pages = usePages(useMemo(() => auditList(filters, order), [filters, order]))
  const columns = useMemo(() => auditColumns(), [])
  const onOpen = useCallback(({ id }: AuditRecord) => filter({ event: String(id) }), [filter])
  return (
    <ListPage
      title={t('nav.audit')}
      countOf={(count) => t('audit.count', { count })}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      empty={
        <NoRows
          icon={History}
          isFiltered={Object.keys(filters).length > 0}
          onClear={() => filter(Object.fromEntries(fields.map((field) => [field, ''])))}
          title={t('overview.noChanges')}
          next={t('overview.noChanges.next')}
        />
      }
      detail={event !== undefined && <AuditDetail id={Number(event)} onClose={() => filter({ event: '' })} />}
    >
      <div className="filters audit-filters">
        {(['q', 'operator', 'action', 'resource', 'resource_id', 'request_id'] as const).map((field) => (
          <TextFilter
            key={field}
            label={t(`audit.filter.${field}`)}
            value={search[field]}
            onFilter={(value) => filter({ [field]: value })}
          />
        ))}
        {(['from', 'to'] as const).map((field) => (
          <label key={field} className="choice">
            {t(`audit.filter.${field}`)}
            <input
              className="input"
              type="date"
              value={search[field] ?? ''}
              onChange={({ target }) => filter({ [field]: target.value })}
            />
          </label>
        ))}
      </div>
    </ListPage>
  )
}
