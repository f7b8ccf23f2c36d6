import type { DeploymentKind } from '@roost/api-types/agent'
import { Job, JobInput, jobRules } from '@roost/api-types/rest'
import type { JobService } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'
import { deploymentKinds } from './kinds.js'

const descriptions: Readonly<Record<DeploymentKind, string>> = {
  gateway: 'deployments of shares to gateways',
  user_db: 'deployments of users to the proxies of a cluster',
}

export function jobsResource(kind: DeploymentKind, jobs: JobService): Resource<JobInput> {
  return {
    name: deploymentKinds[kind].resource,
    description: descriptions[kind],
    record: Job,
    rules: jobRules,
    reads: jobs,
    create: { body: JobInput, run: (input, caller) => jobs.create(input, caller) },
    actions: [
      {
        method: 'POST',
        path: 'cancel',
        summary: 'Stop what has not begun',
        answer: Job,
        status: 202,
        run: (id, _body, caller) => jobs.cancel(id, caller),
      },
    ],
  }
}
