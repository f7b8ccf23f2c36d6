import { LRUCache } from 'lru-cache'
import { TokenBucket } from '../services/token-bucket.js'

/** What one node may cause: a rogue one must not fill the disk, nor hide the lines about others. */
const linesPerSecond = 0.1
const burst = 60
const maxSources = 10_000

/** Returns a function that tells whether a line may be written. Lines about a node name it in `nodeId`. `now`: monotonic ms. */
export function limitNodeLines(now: () => number): (fields: unknown) => boolean {
  const buckets = new LRUCache<number | string, TokenBucket>({ max: maxSources })
  return (fields) => {
    const source = sourceOf(fields)
    if (source === undefined) return true
    const bucket = buckets.get(source) ?? new TokenBucket(linesPerSecond, burst, now())
    buckets.set(source, bucket)
    return bucket.accept(now())
  }
}

/** A refused agent has no known node: its lines count by address. */
function sourceOf(fields: unknown): number | string | undefined {
  if (typeof fields !== 'object' || fields === null || !('nodeId' in fields)) return undefined
  const { nodeId, address } = fields as { readonly nodeId?: number; readonly address?: string }
  return nodeId ?? address
}
