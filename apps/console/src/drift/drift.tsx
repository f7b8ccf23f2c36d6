import './drift.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorText } from '../api/error-text.js'
import { driftedNodes } from '../api/queries/drift.js'
import type { DriftedNode } from '../api/queries/drift.js'
import { Action } from '../form/form.js'
import { ForCluster } from '../shell/for-cluster.js'
import { State } from '../state/state.js'
import { Age } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { Empty, Failed, Skeleton } from '../ui/empty.js'
import { CircleCheck } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { Differences } from './differences.js'

const pageSize = 100
/** As many nodes show their differences without being asked. */
const mostOpen = 5

/** The nodes that differ from what was deployed to them. Only gateways and proxies have deployments. */
export function Drift() {
  return <ForCluster title={t('nav.drift')}>{({ id }) => <DriftOf key={id} cluster={id} />}</ForCluster>
}

function DriftOf({ cluster }: { readonly cluster: number }) {
  const [limit, setLimit] = useState(pageSize)
  const { data, error, refetch } = useQuery(driftedNodes(cluster, limit))
  return (
    <Page title={t('nav.drift')} state={data && <span role="status">{t('drift.count', { count: data.total })}</span>}>
      {data === undefined &&
        (error === null ? (
          <Skeleton lines={6} />
        ) : (
          <Failed message={errorText(error)} onRetry={() => void refetch()} />
        ))}
      {data?.total === 0 && (
        <div className="card">
          <Empty icon={CircleCheck} title={t('drift.none')} next={t('drift.none.next')} />
        </div>
      )}
      {data?.objects.map((node) => (
        <Node key={node.node} node={node} startsOpen={data.total <= mostOpen} />
      ))}
      {data !== undefined && data.total > data.objects.length && limit < 1000 && (
        <div className="form-actions">
          <Action onClick={() => setLimit(limit + pageSize)}>
            {t('drift.more', { count: data.total - data.objects.length })}
          </Action>
        </div>
      )}
    </Page>
  )
}

function Node({ node, startsOpen }: { readonly node: DriftedNode; readonly startsOpen: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen)
  return (
    <Card title={node.hostname} aside={<State state={node.state} />}>
      <div className="drift">
        <ul className="drift-kinds">
          {node.kinds.map(({ kind, generation, items, adoptable, since }) => (
            <li key={kind}>
              {t(`deploy.kind.${kind === 'gateway' ? 'shares' : 'users'}`)} ·{' '}
              {t('drift.generation', { generation: String(generation) })} · {t('drift.items', { count: items })} ·{' '}
              {t('drift.itemsAdoptable', { count: adoptable })} · <Age at={since} />
            </li>
          ))}
        </ul>
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{t('drift.which')}</summary>
          {isOpen && <Differences node={node} />}
        </details>
      </div>
    </Card>
  )
}
