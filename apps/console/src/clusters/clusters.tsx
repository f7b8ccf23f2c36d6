import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { summary } from '../api/queries/clusters.js'
import { Action } from '../form/form.js'
import { count, noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { useClusters } from '../shell/use-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Empty, Skeleton } from '../ui/empty.js'
import { Server } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { ClusterForm } from './cluster-form.js'
import { RemoveCluster } from './remove-cluster.js'

/** All clusters, with what creates, renames and removes them. */
export function Clusters() {
  const { all, query } = useClusters()
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title={t('clusters.title')}
      crumbs={<Link to="/system">{t('nav.system')}</Link>}
      actions={
        <Action kind="primary" onClick={() => setAdding(true)}>
          {t('clusters.new')}
        </Action>
      }
    >
      <Loaded query={query} skeleton={<Skeleton lines={4} />}>
        {() => <Table clusters={all} />}
      </Loaded>
      {isAdding && <ClusterForm onClose={() => setAdding(false)} />}
    </Page>
  )
}

function Table({ clusters }: { readonly clusters: readonly ClusterRecord[] }) {
  if (clusters.length === 0)
    return (
      <section className="card">
        <Empty icon={Server} title={t('clusters.none')} next={t('overview.noCluster.next')} />
      </section>
    )
  const headings = [
    t('access.name'),
    { text: t('nav.nodes'), className: 'r' as const },
    { text: t('nav.devices'), className: 'r' as const },
    t('nav.swift'),
    t('access.actions'),
  ]
  return (
    <PlainTable label={t('clusters.title')} headings={headings}>
      {clusters.map((cluster) => (
        <Row key={cluster.id} cluster={cluster} />
      ))}
    </PlainTable>
  )
}

const tones = { ok: 'ok', warn: 'warn', critical: 'bad' } as const

function Row({ cluster }: { readonly cluster: ClusterRecord }) {
  const { id, name } = cluster
  const { data } = useQuery(summary(id))
  const verdict = data?.verdict ?? null
  const search = { cluster: String(id) }
  return (
    <tr>
      <th scope="row">
        <Link to="/" search={search}>
          <b>{name}</b>
        </Link>
      </th>
      <td className="r">
        <Link to="/nodes" search={search}>
          {count(data?.nodes.total)}
        </Link>
      </td>
      <td className="r">
        <Link to="/devices" search={search}>
          {count(data?.devices.total)}
        </Link>
      </td>
      <td>{verdict === null ? noValue : <StateMark tone={tones[verdict]} label={t(`swift.verdict.${verdict}`)} />}</td>
      <td>
        <Actions cluster={cluster} />
      </td>
    </tr>
  )
}

function Actions({ cluster }: { readonly cluster: ClusterRecord }) {
  const [asks, setAsks] = useState<'rename' | 'remove' | null>(null)
  const close = () => setAsks(null)
  return (
    <>
      <div className="row-actions">
        <Link className="btn s" to="/system/clusters/$id" params={{ id: String(cluster.id) }}>
          {t('logins.open')}
        </Link>
        <Action small onClick={() => setAsks('rename')}>
          {t('clusters.rename')}
        </Action>
        <Action small onClick={() => setAsks('remove')}>
          {t('ui.remove')}
        </Action>
      </div>
      {asks === 'rename' && <ClusterForm cluster={cluster} onClose={close} />}
      {asks === 'remove' && <RemoveCluster cluster={cluster} onClose={close} />}
    </>
  )
}
