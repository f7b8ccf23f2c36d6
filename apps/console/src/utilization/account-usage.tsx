import { useQuery } from '@tanstack/react-query'
import { usageByHour } from '../api/queries/utilization.js'
import type { UsageOf, UsageRow } from '../api/queries/utilization.js'
import { bytes, count } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { Chart } from '../ui/chart.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'

interface AccountUsageProps {
  readonly usage: UsageOf
  readonly account: string
  readonly onClose: () => void
}

/** One account by the hour. */
export function AccountUsage({ usage, account, onClose }: AccountUsageProps) {
  const hours = useQuery(usageByHour(usage, account))
  return (
    <Dialog open onClose={onClose} title={account} wide>
      <Loaded query={hours}>
        {(rows) => (rows.length === 0 ? <p>{t('utilization.none')}</p> : <Hours rows={rows} usage={usage} />)}
      </Loaded>
    </Dialog>
  )
}

function Hours({ rows, usage }: { readonly rows: readonly UsageRow[]; readonly usage: UsageOf }) {
  const times = rows.map(({ start }) => Date.parse(start.replace(' ', 'T')) / 1000)
  const chart = (names: readonly ('bytes_used' | 'object_count' | 'bytes_in' | 'bytes_out')[]) => ({
    times,
    title: names.map((name) => t(`utilization.${name}`)).join(', '),
    format: names[0] === 'object_count' ? count : bytes,
    series: names.map((name) => ({
      label: t(`utilization.${name}`),
      values: rows.map((row) => row[name] ?? null),
    })),
  })
  if (usage.policy === undefined) return <Chart {...chart(['bytes_in', 'bytes_out'])} />
  return (
    <>
      <Chart {...chart(['bytes_used'])} />
      <Chart {...chart(['object_count'])} />
    </>
  )
}
