import { Link } from '@tanstack/react-router'
import type { DeliveryRecord, ReceiverRecord } from '../api/queries/receivers.js'
import { idIn } from '../api/uri.js'
import { State } from '../state/state.js'
import { Age } from '../ui/age.js'
import type { Column } from '../ui/data-table.js'
import { t } from '../words/text.js'

/** Returns the name of a receiver by its resource URI. */
export function receiverName(uri: string, receivers: readonly ReceiverRecord[]): string {
  return receivers.find(({ id }) => id === idIn(uri))?.name ?? uri
}

export function deliveryColumns(receivers: readonly ReceiverRecord[]): readonly Column<DeliveryRecord>[] {
  return [
    {
      key: 'code',
      heading: t('alerts.code'),
      sort: 'code',
      width: 240,
      cell: ({ id, code }) => (
        <Link
          to="/alerts/deliveries"
          search={(old) => ({ ...old, delivery: String(id) })}
          className="mono small"
          title={code}
        >
          {code}
        </Link>
      ),
    },
    {
      key: 'receiver',
      heading: t('deliveries.receiver'),
      width: 180,
      cell: ({ receiver }) => receiverName(receiver, receivers),
    },
    {
      key: 'state',
      heading: t('nodes.state'),
      sort: 'state',
      width: 140,
      cell: ({ state }) => <State state={state} />,
    },
    {
      key: 'attempts',
      heading: t('deliveries.attempts'),
      sort: 'attempts',
      align: 'r',
      width: 110,
      cell: ({ attempts }) => attempts,
    },
    {
      key: 'created',
      heading: t('access.created'),
      sort: 'created_at',
      first: 'descending',
      width: 140,
      cell: ({ created_at: at }) => <Age at={at} />,
    },
    { key: 'error', heading: t('deliveries.error'), cell: ({ error }) => <span title={error}>{error}</span> },
  ]
}
