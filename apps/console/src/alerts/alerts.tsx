import './alerts.css'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { alertList, byUrgency } from '../api/queries/alerts.js'
import type { AlertRecord } from '../api/queries/alerts.js'
import type { Filters } from '../api/queries/filters.js'
import { usePages } from '../api/use-pages.js'
import { ChoiceFilter, TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Bell } from '../ui/icons.js'
import { t } from '../words/text.js'
import { AlertTabs } from './alert-tabs.js'
import { alertColumns } from './columns.js'
import { AlertDetail } from './detail.js'

/** What each view of the list asks for. */
const views = {
  active: (): Filters => ({ needs_action: true }),
  acknowledged: (): Filters => ({ state: ['firing', 'unknown'], acknowledged: true }),
  silenced: (): Filters => ({ state: ['firing', 'unknown'], silenced: true }),
  pending: (): Filters => ({ state: ['pending'] }),
  history: (): Filters => ({ state: ['resolved'] }),
} as const
type View = keyof typeof views
const viewNames = Object.keys(views) as readonly View[]

/** A cluster without an alert is good news; an empty history is none. */
function emptyTextOf(view: View): 'overview.allFine' | 'alerts.none' {
  return view === 'active' ? 'overview.allFine' : 'alerts.none'
}

/** Returns the order of a view: the most urgent first, in the history the latest. */
function orderOf(view: View): string {
  return view === 'history' ? '-changed_at' : byUrgency
}

/** The control plane has alerts of its own. */
const noCluster = 0

/** Problems that last. All that it shows is in its address. */
export function Alerts() {
  return (
    <ForCluster title={t('nav.alerts')} tabs={<AlertTabs />} without={<AlertsOf cluster={noCluster} />}>
      {({ id }) => <AlertsOf cluster={id} />}
    </ForCluster>
  )
}

function AlertsOf({ cluster }: { readonly cluster: number }) {
  const search = useSearch({ from: '/alerts' })
  const filter = useSearchChange()
  const view = viewNames.find((name) => name === search.view) ?? 'active'
  const { code, severity, order = orderOf(view) } = search
  const filters = useMemo(
    () => ({
      concerns: cluster,
      ...views[view](),
      ...(code === undefined ? {} : { code: code.toUpperCase() }),
      ...(severity === undefined ? {} : { severity }),
    }),
    [cluster, view, code, severity],
  )
  const pages = usePages(useMemo(() => alertList(filters, order), [filters, order]))
  const columns = useMemo(() => alertColumns(), [])
  const onOpen = useCallback(({ id }: AlertRecord) => filter({ alert: String(id) }), [filter])
  return (
    <ListPage
      title={t('nav.alerts')}
      countOf={(count) => t('alerts.count', { count })}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      empty={
        <NoRows
          icon={Bell}
          isFiltered={code !== undefined || severity !== undefined}
          onClear={() => filter({ code: '', severity: '' })}
          title={t(emptyTextOf(view))}
          next={t(`${emptyTextOf(view)}.next`)}
        />
      }
      detail={
        search.alert !== undefined && <AlertDetail id={Number(search.alert)} onClose={() => filter({ alert: '' })} />
      }
    >
      <AlertTabs />
      <div className="filters">
        <div className="seg" role="group" aria-label={t('alerts.view')}>
          {viewNames.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === view}
              onClick={() => filter({ view: name, order: '' })}
            >
              {t(`alerts.view.${name}`)}
            </button>
          ))}
        </div>
        <ChoiceFilter
          label={t('alerts.severity')}
          choices={[
            ['critical', t('severity.critical')],
            ['warning', t('severity.warning')],
          ]}
          chosen={severity}
          onChoose={(value) => filter({ severity: value })}
        />
        <TextFilter label={t('alerts.filter')} value={code} onFilter={(value) => filter({ code: value })} />
      </div>
    </ListPage>
  )
}
