import { AlertReceiverTest } from '@roost/api-types/rest'
import type { AlertReceiverService } from '@roost/api-types/rpc'
import type { Resource } from '../../http/dialect/resource.js'

/** The paths below a receiver. */
export function receiverActions(receivers: AlertReceiverService): Pick<Resource, 'actions'> {
  return {
    actions: [
      {
        method: 'POST',
        path: 'test',
        summary: 'Send an alert that is only a test to a receiver, now and once',
        answer: AlertReceiverTest,
        status: 200,
        run: (id, _body, caller) => receivers.test(id, caller),
      },
    ],
  }
}
