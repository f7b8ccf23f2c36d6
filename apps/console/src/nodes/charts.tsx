import type { HistoryRange } from '../api/queries/history.js'
import { MetricChart } from '../charts/metric-chart.js'
import { sumOf } from '../history/series.js'
import type { Lines } from '../history/series.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'

const cpu = ['user', 'system', 'wait'].map((name) => `aggregation.cpu-average.cpu.${name}`)
const load = ['load.shortterm', 'load.midterm', 'load.longterm']
const network = ['interface.*.if_octets.rx', 'interface.*.if_octets.tx']
const memory = ['memory.used', 'memory.cached', 'memory.free']
const disks = ['disk.*.disk_octets.read', 'disk.*.disk_octets.write']

/** Returns what makes one line of the lines whose names have the same ending. */
function sums(...endings: readonly string[]): (lines: Lines) => Lines {
  return (lines) => ({
    times: lines.times,
    lines: endings.map((name) => ({ name, unit: lines.lines[0]?.unit ?? '', values: sumOf(lines, name) })),
  })
}

const networkSums = sums('.rx', '.tx')
const diskSums = sums('.read', '.write')

/** What the machine does. The charts share their cursor. */
export function NodeCharts({ id, range }: { readonly id: number; readonly range: HistoryRange }) {
  const common = { source: { of: 'node', id }, range, syncKey: 'node' } as const
  const labels = {
    '.rx': t('overview.received'),
    '.tx': t('overview.sent'),
    '.read': t('node.read'),
    '.write': t('node.written'),
  }
  return (
    <div className="node-charts">
      <Card title={t('node.cpu')}>
        <MetricChart {...common} title={t('node.cpu')} metrics={cpu} top={100} />
      </Card>
      <Card title={t('node.network')}>
        <MetricChart {...common} title={t('node.network')} metrics={network} derive={networkSums} labels={labels} />
      </Card>
      <Card title={t('node.load')}>
        <MetricChart {...common} title={t('node.load')} metrics={load} />
      </Card>
      <Card title={t('node.memory')}>
        <MetricChart {...common} title={t('node.memory')} metrics={memory} />
      </Card>
      <Card title={t('node.disks')} className="wide">
        <MetricChart {...common} title={t('node.disks')} metrics={disks} derive={diskSums} labels={labels} />
      </Card>
    </div>
  )
}
