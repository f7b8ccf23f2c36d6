import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Loaded } from '../state/loaded.js'
import { Empty } from '../ui/empty.js'
import { Server } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { useClusters } from './use-cluster.js'
import type { ClusterRecord } from './use-cluster.js'

interface ForClusterProps {
  /** Of the page while there is no cluster to show. */
  readonly title: string
  readonly children: (cluster: ClusterRecord) => ReactNode
}

/** A screen of the chosen cluster. Without one it says that there is none, or why they could not be read. */
export function ForCluster({ title, children }: ForClusterProps) {
  const { chosen, query } = useClusters()
  if (chosen !== undefined) return children(chosen)
  return (
    <Page title={title}>
      <Loaded query={query}>{() => <NoCluster />}</Loaded>
    </Page>
  )
}

function NoCluster() {
  return (
    <section className="card">
      <Empty icon={Server} title={t('clusters.none')}>
        <Link to="/system/clusters">{t('clusters.title')}</Link>
      </Empty>
    </section>
  )
}
