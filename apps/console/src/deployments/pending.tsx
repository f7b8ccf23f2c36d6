import './deployments.css'
import { recordsOfChanges } from '@roost/api-types/rest'
import type { PendingChanges } from '@roost/api-types/rest'
import { useQuery } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import { deploymentKinds, kindsOfNodes, pendingChanges } from '../api/queries/deployments.js'
import { Failed } from '../ui/empty.js'
import { t } from '../words/text.js'
import { Differences } from './differences.js'
import { ReviewButton } from './review-button.js'
import { useNames } from './use-names.js'

/** How many shares and users were changed and not deployed, and which; nothing where all is deployed, and the error where that could not be read. */
export function Pending({ cluster }: { readonly cluster: number }) {
  const { data, error, refetch } = useQuery(pendingChanges(cluster))
  if (data !== undefined) return <Changes found={data} />
  if (error !== null)
    return (
      <section className="card pending" aria-label={t('pending.title')}>
        <Failed message={errorText(error)} onRetry={() => void refetch()} />
      </section>
    )
  return null
}

function Changes({ found: { cluster, count, changes, unknown } }: { readonly found: PendingChanges }) {
  const names = useNames()
  if (count + unknown.length === 0) return null
  const more = count - recordsOfChanges(changes)
  const changed = deploymentKinds.filter((kind) => changes.some((change) => change.kind === kindsOfNodes[kind]))
  return (
    <section className="card pending" aria-label={t('pending.title')}>
      {count > 0 && (
        <div className="pending-head">
          <p role="status">{t('pending.count', { count })}</p>
          {changed.map((kind) => (
            <span key={kind} className="pending-review">
              {t(`deploy.kind.${kind}`)} <ReviewButton kind={kind} cluster={cluster} />
            </span>
          ))}
        </div>
      )}
      {unknown.map(({ node, kind, reason }) => (
        <p key={`${node} ${kind}`} className="muted">
          {names.node(node)}: {reason}
        </p>
      ))}
      {count > 0 && (
        <details>
          <summary>{t('pending.which')}</summary>
          <Differences
            differences={changes}
            label={t('pending.title')}
            nodesOf={({ nodes, node_count: all }) =>
              [
                ...nodes.map(names.node),
                ...(all > nodes.length ? [t('pending.nodes', { count: all - nodes.length })] : []),
              ].join(', ')
            }
          />
          {more > 0 && <p className="muted">{t('pending.more', { count: more })}</p>}
        </details>
      )}
    </section>
  )
}
