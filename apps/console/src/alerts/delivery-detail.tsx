import { useQuery } from '@tanstack/react-query'
import { delivery as deliveryQuery } from '../api/queries/receivers.js'
import type { DeliveryRecord, ReceiverRecord } from '../api/queries/receivers.js'
import { noValue } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { State } from '../state/state.js'
import { Time } from '../ui/age.js'
import { Facts } from '../ui/card.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { receiverName } from './delivery-columns.js'

interface DeliveryDetailProps {
  readonly id: number
  readonly receivers: readonly ReceiverRecord[]
  readonly onClose: () => void
}

/** One message: whether it arrived, and why not. */
export function DeliveryDetail({ id, receivers, onClose }: DeliveryDetailProps) {
  const found = useQuery(deliveryQuery(id))
  return (
    <Dialog open onClose={onClose} title={found.data?.code ?? t('deliveries.one')}>
      <Loaded query={found}>{(delivery) => <Body delivery={delivery} receivers={receivers} />}</Loaded>
    </Dialog>
  )
}

interface BodyProps {
  readonly delivery: DeliveryRecord
  readonly receivers: readonly ReceiverRecord[]
}

function Body({ delivery, receivers }: BodyProps) {
  const { receiver, state, attempts, created_at: created, next_at: next, ended_at: ended, error } = delivery
  return (
    <>
      {error !== '' && <p className="banner bad">{error}</p>}
      <Facts
        facts={[
          [t('deliveries.receiver'), receiverName(receiver, receivers)],
          [t('nodes.state'), <State key="state" state={state} />],
          [t('deliveries.attempts'), attempts],
          [t('access.created'), <Time key="created" at={created} />],
          [t('deliveries.next'), next === null ? noValue : <Time key="next" at={next} />],
          [t('deliveries.ended'), ended === null ? noValue : <Time key="ended" at={ended} />],
        ]}
      />
    </>
  )
}
