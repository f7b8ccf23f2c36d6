import type { NodeRecord } from '../api/queries/nodes.js'
import { Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'

/** What is wrong with a node and what to do, above everything else. */
export function NodeProblems({ node: { problems, state_detail: detail } }: { readonly node: NodeRecord }) {
  if (problems.length === 0 && detail === null) return null
  return (
    <ul className="node-problems">
      {detail !== null && (
        <li className="banner">
          <Tag tone="info">{t('severity.info')}</Tag>
          <span>{detail}</span>
        </li>
      )}
      {problems.map(({ code, subject, severity, message }) => (
        <li key={`${code} ${subject}`} className={`banner ${severity === 'critical' ? 'bad' : 'warn'}`}>
          <Tag tone={severity === 'critical' ? 'bad' : 'warn'}>{tOr(`severity.${severity}`)}</Tag>
          <span>{message}</span>
          <code className="muted">{code}</code>
        </li>
      ))}
    </ul>
  )
}
