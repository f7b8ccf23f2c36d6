import type { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'
import { count, noValue, percent } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'

type Ring = inferOutput<typeof rpc.clusters.health.query>['rings'][number]

const numbers = [
  'swift.onNodes',
  'swift.version',
  'nav.devices',
  'swift.partitions',
  'swift.balance',
  'swift.dispersion',
] as const

/** Returns what reads the rows of the table for a file: each copy with its ring. */
export function copiesOf(rings: readonly Ring[]) {
  const objects = rings.flatMap(({ copies, ...ring }) => copies.map((copy) => ({ ...ring, ...copy })))
  return () => Promise.resolve({ objects, total: objects.length })
}

/** Each ring with its copies: the most common one first. */
export function Rings({ rings }: { readonly rings: readonly Ring[] }) {
  return (
    <PlainTable
      label={t('swift.rings')}
      headings={[
        t('swift.ring'),
        t('nodes.state'),
        'MD5',
        ...numbers.map((key) => ({ text: t(key), className: 'r' as const })),
      ]}
      isPart
    >
      {rings.flatMap((ring) =>
        ring.copies.map((copy, i) => (
          <Copy key={`${ring.name} ${copy.md5}`} ring={ring} copy={copy} isFirst={i === 0} />
        )),
      )}
    </PlainTable>
  )
}

function Copy({
  ring,
  copy,
  isFirst,
}: {
  readonly ring: Ring
  readonly copy: Ring['copies'][number]
  readonly isFirst: boolean
}) {
  const agrees = ring.agree
  return (
    <tr>
      <th scope="row">{isFirst ? <b>{ring.name}</b> : <span className="sr">{ring.name}</span>}</th>
      <td>
        {isFirst && <StateMark tone={agrees ? 'ok' : 'bad'} label={t(agrees ? 'swift.agree' : 'swift.differs')} />}
      </td>
      <td className="mono">{copy.md5.slice(0, 12)}</td>
      <td className="r">{count(copy.nodes.length)}</td>
      <td className="r">{copy.version ?? noValue}</td>
      <td className="r">{count(copy.devices)}</td>
      <td className="r">{count(copy.partitions)}</td>
      <td className="r">{percent(copy.balance)}</td>
      <td className="r">{percent(copy.dispersion)}</td>
    </tr>
  )
}
