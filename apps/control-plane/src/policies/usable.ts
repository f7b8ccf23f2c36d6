import type { StoragePolicy } from '@roost/api-types/rest'

/** Returns the bytes of objects for which raw bytes suffice; null while the code or the number of replicas is unknown. */
export function usableBytes(
  rawBytes: number,
  { type, replicas, ec }: Pick<StoragePolicy, 'type' | 'replicas' | 'ec'>,
): number | null {
  if (ec !== null) {
    const fragments = (ec.data_fragments + ec.parity_fragments) * ec.duplication_factor
    return Math.floor((rawBytes * ec.data_fragments) / fragments)
  }
  if (type !== 'replication' || replicas === null || replicas === 0) return null
  return Math.floor(rawBytes / replicas)
}
