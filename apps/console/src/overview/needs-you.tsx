import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from '../ui/icons.js'
import { openAlerts } from '../api/queries/alerts.js'
import type { AlertRecord } from '../api/queries/alerts.js'
import { idIn } from '../api/uri.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'

const shown = 8

/** What needs a person now, the worst first. */
export function NeedsYou({ cluster }: { readonly cluster: number }) {
  const query = useQuery(openAlerts(cluster))
  return (
    <Card title={t('overview.needsYou')} className="needs-you">
      <Loaded query={query}>{(alerts) => <Items {...alerts} />}</Loaded>
    </Card>
  )
}

function Items({ objects, total }: { readonly objects: readonly AlertRecord[]; readonly total: number }) {
  if (total === 0) return <Empty icon={CircleCheck} title={t('overview.allFine')} next={t('overview.allFine.next')} />
  return (
    <ul className="todo">
      {objects.slice(0, shown).map((alert) => (
        <Item key={alert.id} alert={alert} />
      ))}
      {total > shown && <li className="muted small">{t('overview.more', { count: total - shown })}</li>}
    </ul>
  )
}

function Item({ alert }: { readonly alert: AlertRecord }) {
  const {
    id,
    cluster,
    severity,
    summary,
    effect,
    remedy,
    hostname,
    node,
    device,
    fired_at: at,
    started_at: started,
  } = alert
  const advice = [effect, remedy].filter(Boolean).join(' ')
  return (
    <li>
      <Tag tone={severity === 'critical' ? 'bad' : 'warn'}>{tOr(`severity.${severity}`)}</Tag>
      <div>
        <p>
          <Link to="/alerts" search={(old) => ({ ...old, alert: String(id) })}>
            {summary}
          </Link>
        </p>
        {advice !== '' && <p className="todo-rest">{advice}</p>}
        <p className="muted small">
          {cluster === null && `${t('alerts.controlPlane')} · `}
          {hostname !== '' && `${hostname} · `}
          <Age at={at ?? started} />
          {node !== null && (
            <>
              {' · '}
              <Link
                to="/nodes/$id/{-$tab}"
                params={{ id: String(idIn(node)), tab: device === null ? undefined : 'devices' }}
              >
                {t('ui.show')}
              </Link>
            </>
          )}
        </p>
      </div>
    </li>
  )
}
