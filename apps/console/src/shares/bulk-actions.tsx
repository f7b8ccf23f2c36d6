import { useState } from 'react'
import type { NodeRecord } from '../api/queries/nodes.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { BulkBar } from '../bulk/bulk-bar.js'
import type { Selection } from '../bulk/use-selection.js'
import { Action } from '../form/form.js'
import { lazyForm } from '../form/lazy-form.js'
import { t } from '../words/text.js'
import type { ShareTask } from './bulk-dialogs.js'

const BulkShares = lazyForm(() => import('./bulk-dialogs.js').then(({ BulkShares }) => BulkShares))

interface BulkActionsProps {
  readonly cluster: string
  readonly gateways: readonly NodeRecord[]
  readonly selection: Selection<ShareRecord>
  readonly total: number
}

/** What can be done with the selected shares. */
export function BulkActions({ cluster, gateways, selection, total }: BulkActionsProps) {
  const [open, setOpen] = useState<{ readonly task: ShareTask; readonly shares: readonly ShareRecord[] }>()
  const ask = (task: ShareTask) => () => setOpen({ task, shares: selection.rows })
  return (
    <>
      <BulkBar selection={selection} total={total}>
        <Action small onClick={ask('enable')}>
          {t('ui.enable')}
        </Action>
        <Action small onClick={ask('disable')}>
          {t('ui.disable')}
        </Action>
        <Action small onClick={ask('change')}>
          {t('shares.bulk.change')}
        </Action>
        <Action small onClick={ask('remove')}>
          {t('ui.remove')}
        </Action>
      </BulkBar>
      {open !== undefined && (
        <BulkShares
          {...open}
          cluster={cluster}
          gateways={gateways}
          onRest={selection.replace}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}
