import type { RecordDifference } from '../api/queries/deployments.js'
import { noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { Tag } from '../ui/state-mark.js'
import type { Tone } from '../ui/tone.js'
import { t } from '../words/text.js'

type Field = RecordDifference['fields'][number]

const tones: Readonly<Record<RecordDifference['change'], Tone | 'info'>> = {
  added: 'ok',
  changed: 'info',
  removed: 'bad',
}
/** What the API has in place of both values of a secret. */
const masked = '***'

interface DifferencesProps<D extends RecordDifference> {
  readonly differences: readonly D[]
  readonly label: string
  /** Returns the nodes that a difference is on; without it they are not shown. */
  readonly nodesOf?: (difference: D) => string
}

/** Shares and users that differ, with the fields that do. */
export function Differences<D extends RecordDifference>({ differences, label, nodesOf }: DifferencesProps<D>) {
  const headings = [
    t('difference.what'),
    t('difference.change'),
    t('difference.field'),
    t('difference.before'),
    t('difference.after'),
    ...(nodesOf === undefined ? [] : [t('difference.nodes')]),
  ]
  return (
    <PlainTable label={label} headings={headings} isPart>
      {differences.flatMap((difference) => {
        const { type, id, name, change, fields } = difference
        const rows: readonly (Field | undefined)[] = fields.length === 0 ? [undefined] : fields
        const nodes = nodesOf?.(difference)
        return rows.map((field) => (
          <tr key={`${type} ${id ?? name} ${change} ${field?.field ?? ''} ${nodes ?? ''}`}>
            <th scope="row">{t(`difference.${type}`, { name })}</th>
            <td>
              <Tag tone={tones[change]}>{t(`difference.${change}`)}</Tag>
            </td>
            <FieldCells field={field} />
            {nodes !== undefined && <td>{nodes}</td>}
          </tr>
        ))
      })}
    </PlainTable>
  )
}

function FieldCells({ field }: { readonly field: Field | undefined }) {
  if (field === undefined) return <td colSpan={3} />
  const { field: name, before, after } = field
  const isSecret = before === masked && after === masked
  return (
    <>
      <td>
        <code>{name}</code>
      </td>
      {isSecret ? (
        <td colSpan={2}>{t('difference.secret')}</td>
      ) : (
        <>
          <td>{textOf(before)}</td>
          <td>{textOf(after)}</td>
        </>
      )}
    </>
  )
}

function textOf(value: Field['before']): string {
  if (value === '') return t('difference.empty')
  return value === null ? noValue : String(value)
}
