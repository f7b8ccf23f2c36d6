import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { spanOptions, timeIn } from '../form/spans.js'
import { Time } from '../ui/age.js'
import { useNow } from '../ui/clock.js'
import { Dialog } from '../ui/dialog.js'
import { Field } from '../ui/field.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

interface MaintenanceProps {
  readonly node: NodeRecord
}

/** Sets until when somebody works on a node; null ends the maintenance. Its alerts change with it. */
function useMaintenance({ id }: NodeRecord, onDone: () => void) {
  const queries = useQueryClient()
  return useChange(
    'nodes',
    (until: string | null) => rpc.nodes.change.mutate({ id, change: { maintenance_until: until } }),
    () => {
      void queries.invalidateQueries({ queryKey: ['alerts'] })
      onDone()
    },
  )
}

function isInMaintenance({ maintenance_until: until }: NodeRecord, now: number): boolean {
  return until !== null && Date.parse(until) > now
}

/** Says that a node is in maintenance, with the way to end it. */
export function MaintenanceBanner({ node }: MaintenanceProps) {
  const now = useNow()
  const end = useMaintenance(node, () => toast(t('maintenance.ended')))
  if (!isInMaintenance(node, now)) return null
  return (
    <p className="banner maintenance" role="status">
      <span>
        {t('maintenance.until')} <Time at={node.maintenance_until} />. {t('maintenance.effect')}
      </span>
      <Action small isBusy={end.isPending} onClick={() => end.mutate(null)}>
        {t('maintenance.end')}
      </Action>
    </p>
  )
}

/** Begins the maintenance of a node. */
export function MaintenanceButton({ node }: MaintenanceProps) {
  const now = useNow()
  const [isAsking, setAsking] = useState(false)
  if (isInMaintenance(node, now)) return null
  return (
    <>
      <Action onClick={() => setAsking(true)}>{t('maintenance.begin')}</Action>
      {isAsking && <Begin node={node} onClose={() => setAsking(false)} />}
    </>
  )
}

function Begin({ node, onClose }: MaintenanceProps & { readonly onClose: () => void }) {
  const [span, setSpan] = useState('7200')
  const begin = useMaintenance(node, onClose)
  const actions = (
    <>
      <button type="button" className="btn" onClick={onClose}>
        {t('ui.cancel')}
      </button>
      <Action kind="primary" isBusy={begin.isPending} onClick={() => begin.mutate(timeIn(span, Date.now()))}>
        {t('maintenance.start')}
      </Action>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={t('maintenance.title', { name: node.hostname })} actions={actions}>
      <p>{t('maintenance.effect')}</p>
      <Field label={t('silences.for')}>
        <select className="input" value={span} onChange={({ target }) => setSpan(target.value)}>
          {spanOptions().map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </select>
      </Field>
    </Dialog>
  )
}
