import { MetricChart } from '../charts/metric-chart.js'
import { ranges } from '../charts/range.js'
import { sumOf } from '../history/series.js'
import type { Lines } from '../history/series.js'
import { Card } from '../ui/card.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'

const names = ['interface.*.if_octets.rx', 'interface.*.if_octets.tx']

/** Returns the sums of what all interfaces receive and send. */
function inAndOut(lines: Lines): Lines {
  return {
    times: lines.times,
    lines: ['.rx', '.tx'].map((name) => ({ name, unit: 'bytes/s', values: sumOf(lines, name) })),
  }
}

/** What all nodes receive and send, up to now. */
export function Throughput({ cluster }: { readonly cluster: number }) {
  return (
    <Card title={t('overview.throughput')} className="wide" aside={<Tag>{t('charts.24h')}</Tag>}>
      <MetricChart
        title={t('overview.throughput')}
        source={{ of: 'cluster', id: cluster }}
        metrics={names}
        range={ranges['24h']}
        derive={inAndOut}
        labels={{ '.rx': t('overview.received'), '.tx': t('overview.sent') }}
        height={190}
      />
    </Card>
  )
}
