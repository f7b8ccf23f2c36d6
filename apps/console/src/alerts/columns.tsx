import { Link } from '@tanstack/react-router'
import type { AlertRecord } from '../api/queries/alerts.js'
import { State } from '../state/state.js'
import { Age } from '../ui/age.js'
import type { Column } from '../ui/data-table.js'
import { Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'

export function alertColumns(): readonly Column<AlertRecord>[] {
  return [
    {
      key: 'severity',
      heading: t('alerts.severity'),
      sort: 'rank',
      width: 110,
      cell: ({ severity }) => <Severity severity={severity} />,
    },
    {
      key: 'summary',
      heading: t('alerts.summary'),
      cell: ({ id, summary }) => (
        <Link to="/alerts" search={(old) => ({ ...old, alert: String(id) })} title={summary}>
          {summary}
        </Link>
      ),
    },
    {
      key: 'on',
      heading: t('alerts.on'),
      width: 200,
      cell: (alert) => aboutText(alert),
    },
    {
      key: 'code',
      heading: t('alerts.code'),
      sort: 'code',
      width: 210,
      cell: ({ code }) => <span className="mono small">{code}</span>,
    },
    {
      key: 'state',
      heading: t('nodes.state'),
      sort: 'state',
      width: 130,
      cell: ({ state }) => <State state={state} />,
    },
    {
      key: 'since',
      heading: t('alerts.since'),
      sort: 'started_at',
      first: 'descending',
      width: 120,
      cell: ({ started_at: at }) => <Age at={at} />,
    },
    { key: 'by', heading: t('alerts.by'), width: 150, cell: ({ acknowledged_by: name }) => name },
  ]
}

/** Returns what an alert is about: the control plane or a node, and the subject. */
export function aboutText({
  cluster,
  hostname,
  subject,
}: Pick<AlertRecord, 'cluster' | 'hostname' | 'subject'>): string {
  return [cluster === null ? t('alerts.controlPlane') : hostname, subject].filter(Boolean).join(' · ')
}

export function Severity({ severity }: Pick<AlertRecord, 'severity'>) {
  return <Tag tone={severity === 'critical' ? 'bad' : 'warn'}>{tOr(`severity.${severity}`)}</Tag>
}
