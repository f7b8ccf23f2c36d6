import { escapeLabel } from './device-lines.js'
import type { ShareLabels } from './store.js'

/** By the name of the metric after `share.<id>.`; undefined where there is no fresh value. */
export type ShareValue = (share: ShareLabels, metric: string) => number | null | undefined

const families = [
  ['dirty_files', 'Files in the cache of a share that are not in Swift'],
  ['dirty_bytes', 'Bytes of the files in the cache of a share that are not in Swift'],
  [
    'oldest_dirty_seconds',
    'Seconds since the last change of the file of a share that has waited longest for its upload',
  ],
  ['cache_bytes', 'Bytes in the cache of a share'],
  ['uploads_queued', 'Files of a share that are queued for upload or being uploaded'],
  ['upload_errors', 'Files of a share that could not be cached or uploaded'],
  ['out_of_space', 'Whether the disk of the cache of a share is full'],
  [
    'leftover_files',
    'Objects of a share that renames left behind in Swift, because the files were renamed during their upload',
  ],
] as const

/** The uploads of shares as text; a share whose gateway reports nothing is left out. */
export function shareLines(shares: readonly ShareLabels[], valueOf: ShareValue): string {
  return families
    .map(([metric, help]) => {
      const name = `roost_share_${metric}`
      const samples = shares.flatMap((share) => {
        const value = valueOf(share, metric)
        return typeof value === 'number' ? [`${name}${labelsOf(share)} ${value}\n`] : []
      })
      return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${samples.join('')}`
    })
    .join('')
}

function labelsOf({ cluster, node, id, name, protocol }: ShareLabels): string {
  const labels = { cluster, node, share: String(id), name, protocol }
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`)
  return `{${pairs.join(',')}}`
}
