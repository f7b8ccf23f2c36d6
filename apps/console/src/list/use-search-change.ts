import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Returns a function that changes fields in the address of this screen; the empty text removes one. */
export function useSearchChange() {
  const navigate = useNavigate()
  return useCallback(
    (change: Readonly<Record<string, string>>, { replace = false } = {}) =>
      void navigate({ to: '.', search: (old) => ({ ...old, ...change }), replace }),
    [navigate],
  )
}
