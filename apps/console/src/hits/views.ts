import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'
import { History } from '../ui/icons.js'
import { t } from '../words/text.js'

export type ViewRecord = inferOutput<typeof rpc.views.get.query>

/** What the operator has saved, by name: at most 64 KiB. */
export const views = () =>
  queryOptions({
    queryKey: ['views'],
    queryFn: async ({ signal }) =>
      (await rpc.views.list.query({ order_by: ['name'], limit: 1000 }, { signal })).objects,
  })

/** Returns the views that the operator has saved, as entries of the palette. */
export function useViewEntries() {
  const navigate = useNavigate()
  const { data = [] } = useQuery(views())
  return data.map(({ resource_uri: id, name, address }) => ({
    id,
    name,
    search: address,
    hint: t('views.one'),
    icon: History,
    run: () => void navigate({ href: address }),
  }))
}
