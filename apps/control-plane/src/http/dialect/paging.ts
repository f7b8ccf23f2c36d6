import type { ListMeta } from '@roost/api-types/rest'
import type { ListQuery } from '@roost/api-types/rpc'

/** The head of a list answer. `path` ends in `/`; `rawQuery` is the request's own, whose other parameters are kept. */
export function listMeta(
  path: string,
  rawQuery: string,
  { limit, offset }: Pick<ListQuery, 'limit' | 'offset'>,
  total: number,
): ListMeta {
  const kept = rawQuery.split('&').filter((pair) => pair !== '' && !isPaging(pair))
  const at = (start: number) => `${path}?${[...kept, `limit=${limit}`, `offset=${start}`].join('&')}`
  return {
    limit,
    offset,
    next: offset + limit >= total ? null : at(offset + limit),
    previous: offset - limit < 0 ? null : at(offset - limit),
    total_count: total,
  }
}

function isPaging(pair: string): boolean {
  const [name] = new URLSearchParams(pair).keys()
  return name === 'limit' || name === 'offset'
}
