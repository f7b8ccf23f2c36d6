import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { partList } from '../api/queries/clusters.js'
import type { Explanation, Explanations, PartRecord } from '../api/queries/clusters.js'
import { idIn } from '../api/uri.js'
import { usePages } from '../api/use-pages.js'
import { noValue } from '../format/numbers.js'
import { ExportRows } from '../list/export.js'
import { useSearchChange } from '../list/use-search-change.js'
import { Age } from '../ui/age.js'
import { DataTable } from '../ui/data-table.js'
import type { Column } from '../ui/data-table.js'
import { Empty } from '../ui/empty.js'
import { t, tOr } from '../words/text.js'
import { valueName, valueText } from './number-text.js'

interface PartsProps extends Pick<Explanations, 'made'> {
  readonly number: Explanation
}

/** The nodes and devices that count in a number, or those that do not, each with its reading. */
export function Parts({ number, made }: PartsProps) {
  const isLeftOut = useSearch({ from: '/explain/$of' }).show === 'left_out'
  const navigate = useNavigate({ from: '/explain/$of' })
  const pages = usePages(useMemo(() => partList(number, { made, isLeftOut }), [number, made, isLeftOut]))
  const columns = useMemo(() => columnsOf(number, isLeftOut), [number, isLeftOut])
  const onOpen = useCallback(
    ({ node, device }: PartRecord) => node !== null && void navigate(nodeLink(node, device)),
    [navigate],
  )
  const count = isLeftOut ? number.left_out_count : number.counted_count
  return (
    <div className="explained-list">
      <div className="filters">
        <Choice number={number} isLeftOut={isLeftOut} />
        {count > pages.total && !pages.isPending && (
          <span className="muted small">{t('explain.bound', { count: pages.total })}</span>
        )}
        <ExportRows name={pages.source.name} reads={[pages.source.read]} />
      </div>
      <div className="explained-parts">
        <DataTable
          label={t('explain.parts')}
          columns={columns}
          total={pages.total}
          rowAt={pages.rowAt}
          onRange={pages.onRange}
          onOpen={onOpen}
          order=""
          onOrder={unordered}
          empty={pages.isPending ? null : <Empty title={t('explain.noPart')} />}
        />
      </div>
    </div>
  )
}

/** The API has them in one order. */
const unordered = () => {}

function Choice({ number, isLeftOut }: { readonly number: Explanation; readonly isLeftOut: boolean }) {
  const change = useSearchChange()
  return (
    <div className="seg" role="group" aria-label={t('explain.which')}>
      <button type="button" aria-pressed={!isLeftOut} onClick={() => change({ show: '' })}>
        {t('explain.counted', { count: number.counted_count })}
      </button>
      <button type="button" aria-pressed={isLeftOut} onClick={() => change({ show: 'left_out' })}>
        {t('explain.leftOut', { count: number.left_out_count })}
      </button>
    </div>
  )
}

/** Where a part is shown: its node, with the devices for one of them. */
function nodeLink(node: string, device: string | null) {
  const params = { id: String(idIn(node)), tab: device === null ? undefined : 'devices' }
  return { to: '/nodes/$id/{-$tab}', params } as const
}

function columnsOf(
  { name, counted, left_out: leftOut }: Explanation,
  isLeftOut: boolean,
): readonly Column<PartRecord>[] {
  const parts = isLeftOut ? leftOut : counted
  const fields = [...new Set(parts.flatMap(({ values }) => Object.keys(values)))]
  const hasNames = parts.some((part) => part.name !== '')
  return [
    { key: 'node', heading: t('devices.node'), cell: (part) => <NodeName part={part} /> },
    ...(hasNames
      ? [{ key: 'name', heading: t('explain.subject'), cell: ({ name }: PartRecord) => name || noValue }]
      : []),
    ...fields.map((field): Column<PartRecord> => ({
      key: field,
      heading: valueName(field),
      width: 130,
      align: 'r',
      cell: ({ values }) => valueText(name, field, values[field]),
    })),
    ...(isLeftOut ? [{ key: 'reason', heading: t('explain.reason'), width: 260, cell: reasonText }] : []),
    { key: 'read', heading: t('explain.read'), width: 140, cell: ({ read }) => <Age at={read} /> },
  ]
}

function reasonText({ reason }: PartRecord): string {
  return reason === undefined ? noValue : tOr(`explain.reason.${reason}`)
}

function NodeName({ part: { node, device, hostname } }: { readonly part: PartRecord }) {
  if (node === null) return noValue
  return <Link {...nodeLink(node, device)}>{hostname || String(idIn(node))}</Link>
}
