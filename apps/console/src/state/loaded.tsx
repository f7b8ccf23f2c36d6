import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { errorText } from '../api/error-text.js'
import { Failed, Skeleton } from '../ui/empty.js'

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>
  /** Keeps the space until the answer is there; some lines unless given. */
  readonly skeleton?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** Shows an answer, its absence, or why it could not be read. What was read once stays while the next attempt fails. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data)
  if (error !== null) return <Failed message={errorText(error)} onRetry={() => void refetch()} />
  return skeleton ?? <Skeleton lines={6} />
}
