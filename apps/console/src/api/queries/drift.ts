import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'

export const drift = (node: number) =>
  queryOptions({
    queryKey: ['drift', node],
    queryFn: ({ signal }) => rpc.drift.get.query({ id: node }, { signal }),
    refetchInterval,
  })
