import type { ReactNode } from 'react'
import { Page } from '../ui/page.js'
import { ForCluster } from './for-cluster.js'
import type { ClusterRecord } from './use-cluster.js'

interface NewRecordProps {
  readonly title: string
  readonly crumbs: ReactNode
  /** The form with what another record has, which is in a cluster of its own; undefined for one that begins empty. */
  readonly copy: ReactNode
  readonly children: (cluster: ClusterRecord) => ReactNode
}

/** The page of a new record: a copy of the one that the address names, or an empty form in the chosen cluster. */
export function NewRecord({ copy, children, ...frame }: NewRecordProps) {
  if (copy !== undefined) return <Page {...frame}>{copy}</Page>
  return <ForCluster {...frame}>{(cluster) => <Page {...frame}>{children(cluster)}</Page>}</ForCluster>
}
