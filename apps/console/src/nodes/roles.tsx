import type { NodeRecord } from '../api/queries/nodes.js'
import { noValue } from '../format/numbers.js'
import { Tag } from '../ui/state-mark.js'
import { tOr } from '../words/text.js'

export const roleFlags = ['runs_account_container', 'runs_object', 'runs_proxy', 'runs_gateway'] as const

/** What a node does, one mark each. */
export function Roles({ role }: { readonly role: NodeRecord['node_role'] }) {
  const runs = roleFlags.filter((flag) => role[flag])
  if (runs.length === 0) return <span className="muted">{noValue}</span>
  return (
    <span className="roles">
      {runs.map((flag) => (
        <Tag key={flag}>{tOr(`role.${flag}`)}</Tag>
      ))}
    </span>
  )
}
