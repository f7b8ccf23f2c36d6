import { useState } from 'react'
import { GrantableRole } from '@roost/api-types/rest'
import { rpc } from '../api/client.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'

interface GrantsProps {
  readonly node: NodeRecord
}

interface Question {
  readonly role: GrantableRole
  readonly isGrant: boolean
}

/** The roles that send passwords to a node: which are granted, and the ways to grant and revoke them. */
export function Grants({ node }: GrantsProps) {
  const [asks, setAsks] = useState<Question | null>(null)
  const [exposed, setExposed] = useState<readonly string[]>([])
  const change = useChange(
    'nodes',
    ({ role, isGrant }: Question) =>
      rpc.nodes.change.mutate({ id: node.id, change: { node_role: { [role]: isGrant } } }),
    ({ passwords_to_rotate: passwords = [] }) => {
      setAsks(null)
      setExposed(passwords)
    },
  )
  return (
    <span className="roles">
      {GrantableRole.options.map((role) => (
        <Grant key={role} role={role} isGranted={node.roles_granted.includes(role)} onAsk={setAsks} />
      ))}
      {asks !== null && (
        <Confirm
          open
          onClose={() => setAsks(null)}
          onConfirm={() => change.mutate(asks)}
          title={t(asks.isGrant ? 'grants.grant.title' : 'grants.revoke.title', {
            role: tOr(`role.${asks.role}`),
            name: node.hostname,
          })}
          action={t(asks.isGrant ? 'grants.grant.action' : 'grants.revoke.action')}
          isBusy={change.isPending}
        >
          <p>{t(asks.isGrant ? `grants.effect.${asks.role}` : 'grants.revoke.effect')}</p>
        </Confirm>
      )}
      {exposed.length > 0 && <Exposed uris={exposed} onClose={() => setExposed([])} />}
    </span>
  )
}

interface GrantProps {
  readonly role: GrantableRole
  readonly isGranted: boolean
  readonly onAsk: (question: Question) => void
}

function Grant({ role, isGranted, onAsk }: GrantProps) {
  return (
    <span className="grant">
      <Tag {...(isGranted ? { tone: 'info' } : {})}>{tOr(`role.${role}`)}</Tag>
      <Action small onClick={() => onAsk({ role, isGrant: !isGranted })}>
        {t(isGranted ? 'grants.revoke' : 'grants.grant')}
      </Action>
    </span>
  )
}

/** What the node has received and keeps. */
function Exposed({ uris, onClose }: { readonly uris: readonly string[]; readonly onClose: () => void }) {
  const actions = (
    <button type="button" className="btn primary" onClick={onClose}>
      {t('ui.done')}
    </button>
  )
  return (
    <Dialog open onClose={onClose} title={t('grants.rotate.title')} actions={actions}>
      <p>{t('grants.rotate')}</p>
      <ul className="commands">
        {uris.map((uri) => (
          <li key={uri}>
            <code>{uri}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
