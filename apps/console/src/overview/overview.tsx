import './overview.css'
import { useClusters } from '../shell/use-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Skeleton } from '../ui/empty.js'
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
  const { chosen, query } = useClusters()
  if (chosen !== undefined) return <ClusterOverview cluster={chosen} />
  return (
    <Page title={t('nav.overview')}>
      <Loaded query={query} skeleton={<Skeleton height={400} lines={6} />}>
        {() => <FirstCluster />}
      </Loaded>
    </Page>
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
