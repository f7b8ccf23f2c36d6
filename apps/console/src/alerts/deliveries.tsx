import './alerts.css'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { deliveryList, receivers } from '../api/queries/receivers.js'
import type { DeliveryRecord } from '../api/queries/receivers.js'
import { usePages } from '../api/use-pages.js'
import { ChoiceFilter, TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { Send } from '../ui/icons.js'
import { t } from '../words/text.js'
import { AlertTabs } from './alert-tabs.js'
import { deliveryColumns } from './delivery-columns.js'
import { DeliveryDetail } from './delivery-detail.js'

const states = ['waiting', 'sending', 'delivered', 'failed', 'canceled'] as const

/** Messages about alerts, the latest first. All that it shows is in its address. */
export function Deliveries() {
  const { state, code, order = '-id', delivery } = useSearch({ from: '/alerts/deliveries' })
  const filter = useSearchChange()
  const { data: targets } = useQuery(receivers())
  const filters = useMemo(
    () => ({
      ...(state === undefined ? {} : { state }),
      ...(code === undefined ? {} : { code: code.toUpperCase() }),
    }),
    [state, code],
  )
  const pages = usePages(useMemo(() => deliveryList(filters, order), [filters, order]))
  const columns = useMemo(() => deliveryColumns(targets ?? []), [targets])
  const onOpen = useCallback(({ id }: DeliveryRecord) => filter({ delivery: String(id) }), [filter])
  return (
    <ListPage
      title={t('deliveries.title')}
      countOf={(count) => t('deliveries.count', { count })}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      empty={
        <NoRows
          icon={Send}
          isFiltered={state !== undefined || code !== undefined}
          onClear={() => filter({ state: '', code: '' })}
          title={t('deliveries.none')}
          next={t('deliveries.none.next')}
        />
      }
      detail={
        delivery !== undefined && (
          <DeliveryDetail id={Number(delivery)} receivers={targets ?? []} onClose={() => filter({ delivery: '' })} />
        )
      }
    >
      <AlertTabs />
      <div className="filters">
        <ChoiceFilter
          label={t('nodes.state')}
          choices={states.map((each) => [each, t(`state.${each}`)])}
          chosen={state}
          onChoose={(value) => filter({ state: value })}
        />
        <TextFilter label={t('alerts.filter')} value={code} onFilter={(value) => filter({ code: value })} />
      </div>
    </ListPage>
  )
}
