import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { summary } from '../api/queries/clusters.js'
import { count } from '../format/numbers.js'
import { State, toneOf } from '../state/state.js'
import { Card } from '../ui/card.js'
import { t, tOr } from '../words/text.js'

const states = ['online', 'stale', 'offline', 'needs_upgrade', 'duplicate', 'pending'] as const

/** How many nodes are in each state. */
export function NodeStates({ cluster }: { readonly cluster: number }) {
  const { data } = useQuery(summary(cluster))
  const found = states
    .map((state) => ({ state, total: data?.nodes.states[state] ?? 0 }))
    .filter(({ total }) => total > 0)
  return (
    <Card title={t('overview.states')}>
      <div
        className="state-bar"
        role="img"
        aria-label={found.map(({ state, total }) => `${count(total)} ${tOr(`state.${state}`)}`).join(', ')}
      >
        {found.map(({ state, total }) => (
          <i key={state} className={toneOf(state)} style={{ flexGrow: total }} />
        ))}
      </div>
      <ul className="state-list">
        {found.map(({ state, total }) => (
          <li key={state}>
            <Link to="/nodes" search={{ state }}>
              <State state={state} />
              <span className="num">{count(total)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
