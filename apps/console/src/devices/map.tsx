import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { fullnessOf } from '../api/queries/devices.js'
import type { NodeFullness } from '../api/queries/devices.js'
import { count, percent } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { toneOf } from '../state/state.js'
import { Empty } from '../ui/empty.js'
import { HardDrive } from '../ui/icons.js'
import { fullnessTone } from '../ui/meter.js'
import { t, tOr } from '../words/text.js'

/** More rows than these are read in the table. */
const maxNodes = 300

/** The nodes with the fullest devices first: one square for each device. */
export function FullnessMap({ cluster }: { readonly cluster: number }) {
  const [query] = useQueries({ queries: [fullnessOf(cluster, true)] })
  return <Loaded query={query}>{({ nodes = [] }) => <Rows nodes={nodes} />}</Loaded>
}

const fullest = ({ devices }: NodeFullness) => Math.max(0, ...devices.map(({ used_pct: pct }) => pct ?? 0))

function Rows({ nodes }: { readonly nodes: readonly NodeFullness[] }) {
  if (nodes.length === 0)
    return (
      <section className="card">
        <Empty icon={HardDrive} title={t('devices.none')} next={t('devices.none.next')} />
      </section>
    )
  const rows = nodes.toSorted((one, other) => fullest(other) - fullest(one)).slice(0, maxNodes)
  return (
    <section className="card map">
      <p className="muted small">{t('devices.mapHelp')}</p>
      <ul>
        {rows.map((row) => (
          <Row key={row.node} row={row} />
        ))}
      </ul>
      {nodes.length > maxNodes && (
        <p className="muted small">{t('devices.mapMore', { count: nodes.length - maxNodes })}</p>
      )}
    </section>
  )
}

function Row({ row }: { readonly row: NodeFullness }) {
  const id = row.node.split('/').at(-2) ?? ''
  return (
    <li>
      <Link to="/nodes/$id/{-$tab}" params={{ id, tab: 'devices' }}>
        <span>
          {t('devices.node')} {id}
          <span className="sr">: {summaryOf(row)}</span>
        </span>
        <span className="map-row" aria-hidden="true">
          {row.devices.map((device) => (
            <Square key={device.device} {...device} />
          ))}
        </span>
      </Link>
    </li>
  )
}

/** Returns what the squares of a node show, as a sentence. */
function summaryOf(row: NodeFullness): string {
  const used = t('devices.mapLabel', { count: row.devices.length, pct: percent(fullest(row)) })
  const out = new Map<string, number>()
  for (const { status } of row.devices) if (status !== 'ok') out.set(status, (out.get(status) ?? 0) + 1)
  return [used, ...[...out].map(([status, number]) => `${number} ${tOr(`state.${status}`)}`)].join(', ')
}

/** A device that is out of service has a cross, one without a reading a dash: the color is not all that says so. */
function Square({ name, status, used_pct: pct }: NodeFullness['devices'][number]) {
  const isOk = status === 'ok'
  return (
    <i
      className={isOk ? fullnessTone(pct ?? 0) : `out ${toneOf(status)}`}
      style={{ '--used': `${pct ?? 0}%` } as React.CSSProperties}
      title={`${name} · ${tOr(`state.${status}`)} · ${percent(pct)}`}
    >
      {isOk ? count(pct) : '×'}
    </i>
  )
}
