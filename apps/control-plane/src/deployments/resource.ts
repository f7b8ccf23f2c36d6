import { Job } from '@roost/api-types/rest'
import type { JobService } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

/** The paths below a deployment. */
export function jobActions(jobs: JobService): Pick<Resource, 'actions'> {
  return {
    actions: [
      {
        method: 'POST',
        path: 'cancel',
        summary: 'Cancel a deployment on the nodes that have not started it',
        answer: Job,
        status: 202,
        run: (id, _body, caller) => jobs.cancel(id, caller),
      },
      {
        method: 'POST',
        path: 'confirm',
        summary: 'Confirm a deployment with confirm_within_s: its nodes keep what they have applied',
        answer: Job,
        status: 202,
        run: (id, _body, caller) => jobs.confirm(id, caller),
      },
    ],
  }
}
