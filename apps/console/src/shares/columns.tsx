import { Link } from '@tanstack/react-router'
import type { NodeRecord } from '../api/queries/nodes.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { idIn } from '../api/uri.js'
import { State } from '../state/state.js'
import type { Column } from '../ui/data-table.js'
import { StateMark, Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'

/** The columns of the list of shares, beside the gateways that serve them. */
export function shareColumns(gateways: readonly NodeRecord[]): readonly Column<ShareRecord>[] {
  const byId = new Map(gateways.map((node) => [node.id, node]))
  const gatewayOf = ({ node }: ShareRecord) => byId.get(idIn(node))
  return [
    {
      key: 'name',
      heading: t('shares.name'),
      sort: 'name',
      width: 200,
      cell: ({ id, name }) => (
        <Link to="/shares/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
    },
    {
      key: 'protocol',
      heading: t('shares.protocol'),
      sort: 'protocol',
      width: 90,
      cell: ({ protocol }) => <Tag>{protocolName(protocol)}</Tag>,
    },
    {
      key: 'enabled',
      heading: t('shares.state'),
      sort: 'enabled',
      width: 110,
      cell: ({ enabled }) => <Enabled enabled={enabled} />,
    },
    {
      key: 'node',
      heading: t('shares.gateway'),
      sort: 'node',
      width: 170,
      cell: (share) => gatewayOf(share)?.hostname ?? t('shares.node', { id: String(idIn(share.node)) }),
    },
    {
      key: 'config',
      heading: t('shares.gatewayConfig'),
      width: 140,
      cell: (share) => <State state={gatewayOf(share)?.config_state ?? 'unknown'} />,
    },
    {
      key: 'container',
      heading: t('shares.container'),
      sort: 'objectstore_container',
      width: 180,
      cell: ({ objectstore_container: container }) => <span className="mono">{container}</span>,
    },
    {
      key: 'access',
      heading: t('shares.access'),
      sort: 'access_mode',
      width: 130,
      cell: ({ access_mode: mode }) => t(mode === 'ro' ? 'shares.access.ro' : 'shares.access.rw'),
    },
    {
      key: 'clients',
      heading: t('shares.clients'),
      cell: ({ clients_allowed_list: list }) =>
        list === '' ? <span className="muted">{t('shares.everyClient')}</span> : <span className="mono">{list}</span>,
    },
  ]
}

export function protocolName(protocol: ShareRecord['protocol']): string {
  return protocol === 'nfs' ? 'NFS' : 'SMB'
}

export function Enabled({ enabled }: { readonly enabled: boolean }) {
  return <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'ui.enabled' : 'ui.disabled')} />
}
