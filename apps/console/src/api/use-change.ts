import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../ui/toast.js'
import { errorText } from './error-text.js'

/** A write after which everything whose key begins with `topic` is read again. */
export function useChange<I, R>(
  topic: string,
  write: (input: I) => Promise<R>,
  onDone?: (result: R, input: I) => void,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: write,
    onSuccess: async (result, input) => {
      onDone?.(result, input)
      await queries.invalidateQueries({ queryKey: [topic] })
    },
    onError: (error) => toast(errorText(error)),
  })
}
