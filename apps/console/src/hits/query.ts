import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'

export type SearchHit = inferOutput<typeof rpc.search.query>['objects'][number]

/** As many as one sees at once. */
const limit = 8

/** Returns whether a text is searched for: nothing is asked before there are two characters. */
export const isSearched = (text: string) => text.length > 1

/** Finds what has the text in its name. */
export const hits = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: async ({ signal }) => (await rpc.search.query({ q: text, limit }, { signal })).objects,
    enabled: isSearched(text),
    staleTime: 10_000,
  })
