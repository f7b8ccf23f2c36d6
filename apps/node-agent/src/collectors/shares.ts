import type { ShareCount, ShareCounts } from '../mounts/cache/files/share-counts.js'
import type { Collector } from './engine/collector.js'
import { gauge } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'

/** Reports the last count of the files that shares have not uploaded; the count has a period of its own. */
export function createShares(counts: Pick<ShareCounts, 'list'>): Collector {
  return { name: 'shares', read: () => counts.list().flatMap(measurementsOf) }
}

function measurementsOf(count: ShareCount): readonly Measurement[] {
  const prefix = `share.${count.share}`
  return [
    gauge(`${prefix}.dirty_files`, 'count', count.dirtyFiles),
    gauge(`${prefix}.dirty_bytes`, 'bytes', count.dirtyBytes),
    gauge(`${prefix}.oldest_dirty_seconds`, 'seconds', count.oldestDirtySeconds),
    gauge(`${prefix}.cache_bytes`, 'bytes', count.cacheBytes),
    gauge(`${prefix}.uploads_queued`, 'count', count.uploadsQueued),
    gauge(`${prefix}.upload_errors`, 'count', count.uploadErrors),
    gauge(`${prefix}.out_of_space`, 'boolean', count.outOfSpace),
    gauge(`${prefix}.leftover_files`, 'count', count.leftoverFiles),
  ]
}
