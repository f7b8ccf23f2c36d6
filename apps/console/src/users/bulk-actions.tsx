import type { UserRecord } from '../api/queries/users.js'
import { BulkBar } from '../bulk/bulk-bar.js'
import type { Selection } from '../bulk/use-selection.js'
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
  const tasks: readonly { readonly task: UserTask; readonly label: string }[] = [
    { task: 'enable', label: t('ui.enable') },
    { task: 'disable', label: t('ui.disable') },
    { task: 'makeSuperuser', label: t('users.makeSuperuser') },
    { task: 'noSuperuser', label: t('users.noSuperuser') },
    { task: 'remove', label: t('ui.remove') },
  ]
  return (
    <BulkBar selection={selection} total={total} tasks={tasks}>
      {(task, users, onClose) => <BulkUsers {...{ task, users, cluster, onClose }} onRest={selection.replace} />}
    </BulkBar>
  )
}
