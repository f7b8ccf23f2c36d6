import { useQuery } from '@tanstack/react-query'
import { shareUploads } from '../api/queries/shares.js'
import { errorText } from '../api/error-text.js'
import { bytes, count } from '../format/numbers.js'
import { duration } from '../format/time.js'
import { Card, Facts } from '../ui/card.js'
import { Skeleton } from '../ui/empty.js'
import { t } from '../words/text.js'

/** What clients have written and is not in Swift yet. */
export function Uploads({ id }: { readonly id: number }) {
  const { data, error } = useQuery(shareUploads(id))
  return (
    <Card title={t('shares.uploads')}>
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data === undefined && error !== null && <p className="muted">{errorText(error)}</p>}
      {data !== undefined && (
        <Facts
          facts={[
            [t('shares.uploads.files'), count(data.dirty_files)],
            [t('shares.uploads.bytes'), bytes(data.dirty_bytes)],
            [t('shares.uploads.oldest'), data.dirty_files === 0 ? t('ui.none') : duration(data.oldest_dirty_seconds)],
            [t('shares.uploads.cache'), bytes(data.cache_bytes)],
            [t('shares.uploads.errors'), count(data.upload_errors)],
            [t('shares.uploads.leftovers'), count(data.leftover_files)],
          ]}
        />
      )}
    </Card>
  )
}
