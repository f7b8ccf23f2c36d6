import './drift.css'
import { useQuery } from '@tanstack/react-query'
import { drift as driftQuery } from '../api/queries/drift.js'
import { gateways, proxies } from '../api/queries/gateways.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Loaded } from '../state/loaded.js'
import { State } from '../state/state.js'
import { Card } from '../ui/card.js'
import { Diff } from '../ui/diff.js'
import { Empty, Failed, Skeleton } from '../ui/empty.js'
import { CircleCheck } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { Resolve } from './resolve.js'
import { errorText } from '../api/error-text.js'

/** Returns the nodes that have drifted; undefined until both roles are read. */
function useDrifted(cluster: number) {
  const shares = useQuery(gateways(cluster))
  const users = useQuery(proxies(cluster))
  const retry = () => void Promise.all([shares.refetch(), users.refetch()])
  const error = shares.error ?? users.error
  if (shares.data === undefined || users.data === undefined) return { drifted: undefined, error, retry }
  const nodes = new Map([...shares.data, ...users.data].map((node) => [node.id, node]))
  return { drifted: [...nodes.values()].filter(({ config_state: state }) => state === 'drifted'), error, retry }
}

/** The nodes that differ from what was deployed to them. Only gateways and proxies have deployments. */
export function Drift() {
  return <ForCluster title={t('nav.drift')}>{({ id }) => <DriftOf cluster={id} />}</ForCluster>
}

function DriftOf({ cluster }: { readonly cluster: number }) {
  const { drifted, error, retry } = useDrifted(cluster)
  return (
    <Page
      title={t('nav.drift')}
      state={drifted && <span role="status">{t('drift.count', { count: drifted.length })}</span>}
    >
      {drifted === undefined &&
        (error === null ? <Skeleton lines={6} /> : <Failed message={errorText(error)} onRetry={retry} />)}
      {drifted?.length === 0 && (
        <div className="card">
          <Empty icon={CircleCheck} title={t('drift.none')} next={t('drift.none.next')} />
        </div>
      )}
      {drifted?.map((node) => (
        <DriftedNode key={node.id} node={node} />
      ))}
    </Page>
  )
}

function DriftedNode({ node }: { readonly node: NodeRecord }) {
  const found = useQuery(driftQuery(node.id))
  return (
    <Card title={node.hostname} aside={<State state={node.state} />}>
      <Loaded query={found}>
        {({ kinds }) => {
          const items = kinds.flatMap((kind) => kind.items)
          return (
            <div className="drift">
              {kinds.map(({ kind, generation, items }) =>
                items.length === 0 ? null : (
                  <section key={kind} aria-label={t(`deploy.kind.${kind === 'gateway' ? 'shares' : 'users'}`)}>
                    <h2>
                      {t(`deploy.kind.${kind === 'gateway' ? 'shares' : 'users'}`)} ·{' '}
                      {t('drift.generation', { generation: String(generation) })}
                    </h2>
                    {items.map((item) => (
                      <Item key={item.subject} {...item} />
                    ))}
                  </section>
                ),
              )}
              {items.length > 0 && (
                <Resolve
                  node={node}
                  items={items.length}
                  notAdoptable={items.find(({ adoptable }) => !adoptable)?.subject}
                />
              )}
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

interface ItemProps {
  readonly subject: string
  readonly message: string
  readonly diff: string
  readonly adoptable: boolean
}

function Item({ subject, message, diff, adoptable }: ItemProps) {
  return (
    <div className="drift-item">
      <p>
        <code>{subject}</code>{' '}
        <Tag tone={adoptable ? 'info' : 'mute'}>{t(adoptable ? 'drift.adoptable' : 'drift.notAdoptable')}</Tag>
      </p>
      <p className="muted">{message}</p>
      {diff !== '' && <Diff text={diff} label={subject} />}
    </div>
  )
}
