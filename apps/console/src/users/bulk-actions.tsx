import { useState } from 'react'
import type { UserRecord } from '../api/queries/users.js'
import { BulkBar } from '../bulk/bulk-bar.js'
import type { Selection } from '../bulk/use-selection.js'
import { Action } from '../form/form.js'
import { lazyForm } from '../form/lazy-form.js'
import { t } from '../words/text.js'
import type { UserTask } from './bulk-dialogs.js'

const BulkUsers = lazyForm(() => import('./bulk-dialogs.js').then(({ BulkUsers }) => BulkUsers))

interface BulkActionsProps {
  readonly cluster: string
  readonly selection: Selection<UserRecord>
  readonly total: number
}

/** What can be done with the selected users. */
export function BulkActions({ cluster, selection, total }: BulkActionsProps) {
  const [open, setOpen] = useState<{ readonly task: UserTask; readonly users: readonly UserRecord[] }>()
  const ask = (task: UserTask) => () => setOpen({ task, users: selection.rows })
  return (
    <>
      <BulkBar selection={selection} total={total}>
        <Action small onClick={ask('enable')}>
          {t('ui.enable')}
        </Action>
        <Action small onClick={ask('disable')}>
          {t('ui.disable')}
        </Action>
        <Action small onClick={ask('makeSuperuser')}>
          {t('users.makeSuperuser')}
        </Action>
        <Action small onClick={ask('noSuperuser')}>
          {t('users.noSuperuser')}
        </Action>
        <Action small onClick={ask('remove')}>
          {t('ui.remove')}
        </Action>
      </BulkBar>
      {open !== undefined && (
        <BulkUsers {...open} cluster={cluster} onRest={selection.replace} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}
