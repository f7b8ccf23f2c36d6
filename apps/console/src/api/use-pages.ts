import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { QueryKey } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { refetchInterval } from './connection.js'

export interface Page<R> {
  readonly objects: readonly R[]
  readonly total: number
}

interface Slice {
  readonly limit: number
  readonly offset: number
}

/** A list that a table shows. It must stay the same as long as its filters and its order do. */
export interface ListSource<R> {
  /** Of the file that it is saved as, without its ending. */
  readonly name: string
  readonly key: QueryKey
  readonly read: (slice: Slice, signal: AbortSignal) => Promise<Page<R>>
  /** For what costs the server much and seldom changes: milliseconds for which it is shown without reading it again. */
  readonly staleTime?: number
}

/** Rows of a table are read by pages of this many. */
const pageSize = 100

interface Pages<R> {
  readonly source: ListSource<R>
  readonly total: number
  readonly isPending: boolean
  readonly error: Error | null
  readonly refetch: () => void
  readonly rowAt: (index: number) => R | undefined
  readonly onRange: (first: number, last: number) => void
}

function pageOf<R>({ key, read, staleTime }: ListSource<R>, page: number) {
  return queryOptions({
    queryKey: [...key, page],
    queryFn: ({ signal }) => read({ limit: pageSize, offset: page * pageSize }, signal),
    ...(staleTime === undefined ? { refetchInterval } : { staleTime }),
  })
}

/** Reads the pages of a list that are in view, and the first one for the number of all rows. */
export function usePages<R>(source: ListSource<R>): Pages<R> {
  const [range, setRange] = useState({ first: 0, last: 0 })
  const onRange = useCallback((first: number, last: number) => {
    setRange({ first: Math.floor(first / pageSize), last: Math.floor(last / pageSize) })
  }, [])
  const head = useQuery({ ...pageOf(source, 0), placeholderData: keepPreviousData })
  const inView = useMemo(() => Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i), [range])
  const pages = useQueries({ queries: inView.map((page) => pageOf(source, page)) })
  const rowAt = (index: number) => {
    const page = Math.floor(index / pageSize)
    const data = page === 0 ? head.data : pages[page - range.first]?.data
    return data?.objects[index % pageSize]
  }
  return {
    source,
    total: head.data?.total ?? 0,
    isPending: head.isPending,
    error: head.error,
    refetch: () => void head.refetch(),
    rowAt,
    onRange,
  }
}
