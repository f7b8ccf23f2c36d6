import { useMutation, useQueryClient } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import { toast } from '../ui/toast.js'

/** A write after which everything about access is read again. */
export function useChange<I, R>(write: (input: I) => Promise<R>, onDone?: (result: R, input: I) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSuccess: async (result, input) => {
      onDone?.(result, input)
      await queries.invalidateQueries({ queryKey: ['access'] })
    },
    onError: (error) => toast(errorText(error)),
  })
}
