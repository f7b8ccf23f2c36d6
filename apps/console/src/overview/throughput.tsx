import { useQuery } from '@tanstack/react-query'
import { Activity } from '../ui/icons.js'
import { clusterHistory } from '../api/queries/history.js'
import { bytes } from '../format/numbers.js'
import { sumSeries } from '../history/series.js'
import type { History } from '../history/series.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { Chart } from '../ui/chart.js'
import { Empty, Skeleton } from '../ui/empty.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'

const last = { seconds: 24 * 3600, points: 288 }
const names = ['interface.*.if_octets.rx', 'interface.*.if_octets.tx']
const height = 190

/** What all nodes receive and send. */
export function Throughput({ cluster }: { readonly cluster: number }) {
  const query = useQuery(clusterHistory(cluster, names, last))
  return (
    <Card title={t('overview.throughput')} className="wide" aside={<Tag>24 h</Tag>}>
      <Loaded query={query} skeleton={<Skeleton height={height + 26} />}>
        {(history) => <ThroughputChart history={history} />}
      </Loaded>
    </Card>
  )
}

function ThroughputChart({ history }: { readonly history: History }) {
  const received = sumSeries(history, '.rx')
  const sent = sumSeries(history, '.tx')
  if (received.values.every((value) => value === null))
    return (
      <Empty icon={Activity} title={t('overview.noHistory')}>
        <p>{t('overview.noHistory.next')}</p>
      </Empty>
    )
  return (
    <Chart
      title={t('overview.throughput')}
      times={received.times}
      series={[
        { label: t('overview.received'), values: received.values },
        { label: t('overview.sent'), values: sent.values },
      ]}
      format={(value) => `${bytes(value)}/s`}
      height={height}
      fill
    />
  )
}
