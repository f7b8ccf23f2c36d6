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
  readonly crumbs?: ReactNode
  /** What works without a cluster, too. */
  readonly tabs?: ReactNode
  /** The page where there is no cluster; a link to the clusters unless given. */
  readonly without?: ReactNode
  readonly children: (cluster: ClusterRecord) => ReactNode
}

/** A screen of the chosen cluster. Without one it says that there is none, or why they could not be read. */
export function ForCluster({ title, crumbs, tabs, without, children }: ForClusterProps) {
  const { chosen, query } = useClusters()
  if (chosen !== undefined) return children(chosen)
  if (query.data !== undefined && without !== undefined) return without
  return (
    <Page title={title} crumbs={crumbs}>
      {tabs}
      <NoCluster />
    </Page>
  )
}

/** In the place of what needs a cluster: there is none, they are being read, or why they could not be. */
export function NoCluster() {
  const { query } = useClusters()
  return (
    <section className="card">
      <Loaded query={query}>
        {() => (
          <Empty icon={Server} title={t('clusters.none')}>
            <Link to="/system/clusters">{t('clusters.title')}</Link>
          </Empty>
        )}
      </Loaded>
    </section>
  )
}
