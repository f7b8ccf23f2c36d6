import type { NodeRecord } from '../api/queries/nodes.js'
import { noValue } from '../format/numbers.js'
import { State } from '../state/state.js'
import { Time } from '../ui/age.js'
import { Card, Facts } from '../ui/card.js'
import { Copy } from '../ui/copy.js'
import { t } from '../words/text.js'
import { Grants } from './grants.js'
import { Roles } from './roles.js'

/** What is known of a node. */
export function NodeAbout({ node }: { readonly node: NodeRecord }) {
  return (
    <>
      <Card title={t('node.about')}>
        <Facts
          facts={[
            [t('nodes.config'), <State key="config" state={node.config_state} />],
            [t('nodes.roles'), <Roles key="roles" role={node.node_role} />],
            [t('node.granted'), <Grants key="granted" node={node} />],
            ...(node.node_role.runs_proxy ? [authentication(node)] : []),
            [t('nodes.address'), <Address key="cluster" ip={node.cluster_facing_ip} />],
            [t('node.outward'), <Address key="outward" ip={node.outward_facing_ip} />],
            [t('node.replication'), <Address key="replication" ip={node.replication_facing_ip} />],
            [t('nodes.cores'), node.cpu_cores ?? noValue],
            [t('nodes.memory'), node.ram_gb === null ? noValue : `${node.ram_gb.toFixed(1)} GiB`],
            [t('nodes.agent'), node.agent_version ?? noValue],
            [t('nodes.seen'), <Time key="seen" at={node.last_seen} />],
          ]}
        />
      </Card>
      <Card title={t('node.check')}>
        <ul className="commands">
          {[
            `roost node show ${node.hostname}`,
            `roost node hardware ${node.hostname}`,
            `roost drift show ${node.hostname}`,
          ].map((line) => (
            <li key={line}>
              <code>{line}</code>
              <Copy text={line} label={t('ui.copy')} />
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

function authentication({ proxy_authentication: name }: NodeRecord) {
  return [t('node.proxyAuthentication'), t(`node.proxy.${name ?? 'unknown'}`)] as const
}

function Address({ ip }: { readonly ip: string | null }) {
  return ip === null ? noValue : <span className="mono">{ip}</span>
}
