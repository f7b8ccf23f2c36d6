import './overview.css'
import { ForCluster } from '../shell/for-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { Changes } from './changes.js'
import { FirstCluster } from './first-cluster.js'
import { Fullness } from './fullness.js'
import { NeedsYou } from './needs-you.js'
import { NodeStates } from './node-states.js'
import { Summary } from './summary.js'
import { Throughput } from './throughput.js'

/** Is anything wrong, is it getting full, what changed. */
export function Overview() {
  const title = t('nav.overview')
  return (
    <ForCluster
      title={title}
      without={
        <Page title={title}>
          <FirstCluster />
        </Page>
      }
    >
      {(cluster) => <ClusterOverview cluster={cluster} />}
    </ForCluster>
  )
}

function ClusterOverview({ cluster: { id, name } }: { readonly cluster: ClusterRecord }) {
  return (
    <Page title={name}>
      <Summary cluster={id} />
      <div className="overview">
        <NeedsYou cluster={id} />
        <Fullness cluster={id} />
        <Changes />
        <Throughput cluster={id} />
        <NodeStates cluster={id} />
      </div>
    </Page>
  )
}
