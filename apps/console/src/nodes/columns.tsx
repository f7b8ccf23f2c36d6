import { Link } from '@tanstack/react-router'
import type { NodeRecord } from '../api/queries/nodes.js'
import { noValue } from '../format/numbers.js'
import { State } from '../state/state.js'
import { Age } from '../ui/age.js'
import type { Column } from '../ui/data-table.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { Roles } from './roles.js'

/** The columns of the list of nodes. */
export function nodeColumns(): readonly Column<NodeRecord>[] {
  return [
    {
      key: 'hostname',
      heading: t('nodes.host'),
      sort: 'hostname',
      width: 150,
      cell: (node) => <NodeLink node={node} />,
    },
    { key: 'state', heading: t('nodes.state'), sort: 'state', width: 150, cell: (node) => <NodeState node={node} /> },
    {
      key: 'config',
      heading: t('nodes.config'),
      width: 130,
      cell: ({ config_state: state }) => <State state={state} />,
    },
    { key: 'roles', heading: t('nodes.roles'), width: 190, cell: ({ node_role: role }) => <Roles role={role} /> },
    { key: 'problems', heading: t('nodes.problems'), cell: (node) => <Problems node={node} /> },
    {
      key: 'address',
      heading: t('nodes.address'),
      width: 130,
      cell: ({ cluster_facing_ip: ip }) => <span className="mono">{ip ?? noValue}</span>,
    },
    {
      key: 'cores',
      heading: t('nodes.cores'),
      align: 'r',
      sort: 'cpu_cores',
      width: 70,
      cell: ({ cpu_cores: cores }) => cores ?? noValue,
    },
    {
      key: 'ram',
      heading: t('nodes.memory'),
      align: 'r',
      sort: 'ram_gb',
      width: 92,
      cell: ({ ram_gb: gb }) => (gb === null ? noValue : `${gb.toFixed(0)} GiB`),
    },
    {
      key: 'agent',
      heading: t('nodes.agent'),
      sort: 'agent_version',
      width: 90,
      cell: ({ agent_version: version }) => version ?? noValue,
    },
    {
      key: 'seen',
      heading: t('nodes.seen'),
      sort: 'last_seen',
      first: 'descending',
      width: 118,
      cell: ({ last_seen: at }) => <Age at={at} />,
    },
  ]
}

function NodeLink({ node: { id, hostname } }: { readonly node: NodeRecord }) {
  return (
    <Link to="/nodes/$id/{-$tab}" params={{ id: String(id), tab: undefined }}>
      {hostname}
    </Link>
  )
}

function NodeState({ node: { state, state_detail: detail, enabled } }: { readonly node: NodeRecord }) {
  return (
    <>
      <State state={state} {...(detail === null ? {} : { title: detail })} />
      {!enabled && <Tag>{t('nodes.disabled')}</Tag>}
    </>
  )
}

function Problems({ node: { problems } }: { readonly node: NodeRecord }) {
  const [first] = problems
  if (first === undefined) return <span className="muted">{t('ui.none')}</span>
  const tone = problems.some(({ severity }) => severity === 'critical') ? 'bad' : 'warn'
  return (
    <span title={problems.map(({ message }) => message).join('\n')}>
      <Tag tone={tone}>{problems.length}</Tag> {first.message}
    </span>
  )
}
