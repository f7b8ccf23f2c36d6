import './diff.css'
import { t } from '../words/text.js'

interface DiffProps {
  /** A unified diff. */
  readonly text: string
  readonly label: string
}

type Kind = 'hunk' | 'add' | 'del' | ''

function kindOf(line: string): Kind {
  if (line.startsWith('@@')) return 'hunk'
  if (line.startsWith('+')) return 'add'
  return line.startsWith('-') ? 'del' : ''
}

/** A diff, line by line. Each line says in words what its color shows. */
export function Diff({ text, label }: DiffProps) {
  const lines = text.replace(/\n$/, '').split('\n')
  return (
    <div className="diff" tabIndex={0} role="region" aria-label={label}>
      <pre>
        {lines.map((line, i) => (
          // eslint-disable-next-line react/no-array-index-key -- the lines of a text have no other name
          <Line key={i} line={line} kind={kindOf(line)} />
        ))}
      </pre>
    </div>
  )
}

function Line({ line, kind }: { readonly line: string; readonly kind: Kind }) {
  return (
    <span className={kind}>
      {kind === 'add' && <span className="sr">{t('ui.added')} </span>}
      {kind === 'del' && <span className="sr">{t('ui.removed')} </span>}
      {line || ' '}
      {'\n'}
    </span>
  )
}
