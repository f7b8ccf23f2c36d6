import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followChanges } from './follow.js'

/** Keeps all screens up to date while an operator is logged in. */
export function useLive(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    followChanges(queries, leaving.signal)
    return () => leaving.abort()
  }, [queries])
}
