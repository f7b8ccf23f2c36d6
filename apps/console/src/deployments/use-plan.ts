import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { errorText } from '../api/error-text.js'
import { deploymentsOf } from '../api/queries/deployments.js'
import type { DeploymentKind } from '../api/queries/deployments.js'

/** What to plan. Either a node or a cluster, by their resource URIs. */
export interface PlanRequest {
  readonly kind: DeploymentKind
  readonly node?: string | undefined
  readonly cluster?: string | undefined
  /** An earlier generation of the node. */
  readonly generation?: number | undefined
}

interface Planning {
  readonly start: (request: PlanRequest) => void
  readonly isBusy: boolean
  readonly problem: string | undefined
}

/** Returns the fields of a request that name its target, for every job of it. */
export function targetOf({ node, cluster, generation }: Omit<PlanRequest, 'kind'>) {
  return {
    ...(node === undefined ? { cluster } : { node }),
    ...(generation === undefined ? {} : { generation }),
  }
}

/** Asks the nodes what a deployment would do, and opens the page of the plan. */
export function usePlan(): Planning {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ kind, ...target }: PlanRequest) =>
      deploymentsOf(kind).create.mutate({ ...targetOf(target), dry_run: true }),
    onSuccess: async ({ id }, { kind, generation }) => {
      void queries.invalidateQueries({ queryKey: ['deployments'] })
      await navigate({
        to: '/deployments/new',
        search: { kind, plan: id, ...(generation === undefined ? {} : { generation: String(generation) }) },
      })
    },
  })
  return { start: mutate, isBusy: isPending, problem: error === null ? undefined : errorText(error) }
}
