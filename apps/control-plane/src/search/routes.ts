import { maxSearchLength, SearchResult } from '@roost/api-types/rest'
import { maxHits } from '@roost/api-types/rpc'
import type { SearchService } from '@roost/api-types/rpc'
import { z } from 'zod'
import { parsePaging } from '../http/dialect/list-query.js'
import type { Route } from '../http/dialect/route.js'
import { notASearch } from '../services/list-rules.js'

export function searchRoutes(search: SearchService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'search/',
      resource: 'search',
      summary: 'Nodes, devices, shares and users that have a text in their names, addresses or serial numbers',
      query: {
        q: z.string().min(1).max(maxSearchLength).describe('The text; letter case does not count'),
        limit: z.int().min(1).max(maxHits).default(20).describe(`At most ${maxHits}`),
      },
      requiredQuery: ['q'],
      status: 200,
      answer: SearchResult,
      handle: ({ query }) => search.find(textIn(query), Math.min(parsePaging(query).limit, maxHits)),
    },
  ]
}

function textIn(query: URLSearchParams): string {
  const text = query.getAll('q').at(-1)?.trim() ?? ''
  if (text.length >= 1 && text.length <= maxSearchLength && !text.includes('\0')) return text
  throw notASearch('q', [text])
}
