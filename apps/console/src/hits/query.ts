import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'

export type SearchHit = inferOutput<typeof rpc.search.query>['objects'][number]

/** As many as one sees at once. */
const limit = 8

/** What has the text in its name; nothing is asked before there are two characters. */
export const hits = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: async ({ signal }) => (await rpc.search.query({ q: text, limit }, { signal })).objects,
    enabled: text.length > 1,
    placeholderData: (previous) => (text.length > 1 ? previous : undefined),
    staleTime: 10_000,
  })
