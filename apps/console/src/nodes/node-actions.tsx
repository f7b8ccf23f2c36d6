import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { Confirm } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { AddressesButton } from './addresses.js'

/** Enables and disables a node, and removes it. */
export function NodeActions({ node }: { readonly node: NodeRecord }) {
  const { id, hostname, enabled, state } = node
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const change = useChange('nodes', (next: boolean) => rpc.nodes.change.mutate({ id, change: { enabled: next } }))
  const isOnline = state === 'online'
  const remove = useChange(
    'nodes',
    () => rpc.nodes.remove.mutate({ id, force: isOnline }),
    () => {
      toast(t('node.removed', { name: hostname }))
      void navigate({ to: '/nodes' })
    },
  )
  return (
    <>
      <Action isBusy={change.isPending} onClick={() => change.mutate(!enabled)}>
        {t(enabled ? 'ui.disable' : 'ui.enable')}
      </Action>
      <AddressesButton node={node} />
      <Action kind="danger" onClick={() => setAsking(true)}>
        {t('node.remove')}
      </Action>
      {isAsking && (
        <Confirm
          open
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate(undefined)}
          title={t('node.remove.title', { name: hostname })}
          action={t('node.remove.action')}
          typed={isOnline ? hostname : undefined}
          isBusy={remove.isPending}
        >
          <p>{t('node.remove.effect')}</p>
          {isOnline && <p>{t('node.remove.online')}</p>}
        </Confirm>
      )}
    </>
  )
}
