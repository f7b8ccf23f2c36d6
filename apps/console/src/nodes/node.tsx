import './node.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { node as nodeQuery } from '../api/queries/node.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { RecordChanges } from '../audit/record-changes.js'
import { rangeNamed, RangeChoice, ranges } from '../charts/range.js'
import { kindsOf, NodeGenerations } from '../deployments/generations.js'
import { Loaded } from '../state/loaded.js'
import { State } from '../state/state.js'
import { Age } from '../ui/age.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { NodeAbout } from './about.js'
import { NodeCharts } from './charts.js'
import { NodeDevices } from './devices.js'
import { NodeHardware } from './hardware.js'
import { MaintenanceBanner, MaintenanceButton } from './maintenance.js'
import { NodeActions } from './node-actions.js'
import { NodeProblems } from './problems.js'

const tabs = ['overview', 'devices', 'hardware', 'generations', 'events'] as const
type Tab = (typeof tabs)[number]

/** One node. Each of its tabs has an address. */
export function NodePage() {
  const { id, tab } = useParams({ from: '/nodes/$id/{-$tab}' })
  const query = useQuery(nodeQuery(Number(id)))
  const current = tabs.find((each) => each === tab) ?? 'overview'
  return <Loaded query={query}>{(node) => <NodeFrame node={node} tab={current} />}</Loaded>
}

function NodeFrame({ node, tab }: { readonly node: NodeRecord; readonly tab: Tab }) {
  const { range } = useSearch({ from: '/nodes/$id/{-$tab}' })
  const navigate = useNavigate({ from: '/nodes/$id/{-$tab}' })
  const span = rangeNamed(range, '1h')
  const actions = (
    <>
      {tab === 'overview' && (
        <RangeChoice
          value={span}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, range: next }), replace: true })}
        />
      )}
      <MaintenanceButton node={node} />
      <NodeActions node={node} />
    </>
  )
  return (
    <Page
      title={node.hostname}
      crumbs={<Link to="/nodes">{t('nodes.title')}</Link>}
      state={
        <>
          <State state={node.state} {...(node.state_detail === null ? {} : { title: node.state_detail })} />
          <span>
            {t('nodes.seen')}: <Age at={node.last_seen} />
          </span>
        </>
      }
      actions={actions}
    >
      <Tabs node={node} current={tab} />
      <MaintenanceBanner node={node} />
      <NodeProblems node={node} />
      {tab === 'overview' && (
        <div className="node-grid">
          <NodeCharts id={node.id} range={ranges[span]} />
          <div className="node-side">
            <NodeAbout node={node} />
          </div>
        </div>
      )}
      {tab === 'devices' && <NodeDevices node={node} />}
      {tab === 'hardware' && <NodeHardware id={node.id} />}
      {tab === 'generations' && <NodeGenerations node={node} />}
      {tab === 'events' && <RecordChanges resource="nodes" id={node.id} />}
    </Page>
  )
}

function Tabs({ node, current }: { readonly node: NodeRecord; readonly current: Tab }) {
  const id = String(node.id)
  // Nothing is deployed to the others.
  const shown = tabs.filter((tab) => tab !== 'generations' || tab === current || kindsOf(node).length > 0)
  return (
    <nav className="tabs" aria-label={t('node.tabs')}>
      {shown.map((tab) => (
        <Link
          key={tab}
          to="/nodes/$id/{-$tab}"
          params={{ id, tab: tab === 'overview' ? undefined : tab }}
          aria-current={tab === current ? 'page' : undefined}
          activeOptions={{ exact: true }}
          activeProps={{}}
        >
          {t(`node.${tab}`)}
        </Link>
      ))}
    </nav>
  )
}
