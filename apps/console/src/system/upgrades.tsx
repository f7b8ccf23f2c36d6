import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { upgrades } from '../api/queries/system.js'
import { JobStateMark } from '../deployments/job-state.js'
import { Action } from '../form/form.js'
import { PlainTable } from '../list/plain-table.js'
import { NoCluster } from '../shell/for-cluster.js'
import { useClusters } from '../shell/use-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'
import { NewUpgrade } from './new-upgrade.js'

/** The upgrades of the agents of the chosen cluster, and a new one. */
export function Upgrades() {
  const { chosen } = useClusters()
  const [isAdding, setAdding] = useState(false)
  if (chosen === undefined) return <NoCluster />
  return (
    <Card
      title={t('upgrades.title', { cluster: chosen.name })}
      aside={
        <Action small onClick={() => setAdding(true)}>
          {t('upgrades.open')}
        </Action>
      }
    >
      <List cluster={chosen} />
      {isAdding && <NewUpgrade cluster={chosen} onClose={() => setAdding(false)} />}
    </Card>
  )
}

function List({ cluster }: { readonly cluster: ClusterRecord }) {
  const found = useQuery(upgrades({ cluster: cluster.id }))
  const headings = ['number', 'version', 'state', 'done', 'created', 'message'] as const
  return (
    <Loaded query={found}>
      {({ objects }) =>
        objects.length === 0 ? (
          <p className="muted">{t('upgrades.none')}</p>
        ) : (
          <PlainTable label={t('upgrades.list')} headings={headings.map((name) => t(`upgrades.heading.${name}`))}>
            {objects.map((upgrade) => (
              <tr key={upgrade.id}>
                <th scope="row">
                  <Link to="/system/upgrades/$id" params={{ id: String(upgrade.id) }}>
                    {upgrade.id}
                  </Link>
                </th>
                <td className="mono">{upgrade.version}</td>
                <td>
                  <JobStateMark state={upgrade.state} />
                </td>
                <td className="num">{upgrade.progress} %</td>
                <td>
                  <Age at={upgrade.created} />
                </td>
                <td>{upgrade.message}</td>
              </tr>
            ))}
          </PlainTable>
        )
      }
    </Loaded>
  )
}
