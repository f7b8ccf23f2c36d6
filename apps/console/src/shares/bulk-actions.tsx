import type { NodeRecord } from '../api/queries/nodes.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { BulkBar } from '../bulk/bulk-bar.js'
import type { Selection } from '../bulk/use-selection.js'
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
  const tasks: readonly { readonly task: ShareTask; readonly label: string }[] = [
    { task: 'enable', label: t('ui.enable') },
    { task: 'disable', label: t('ui.disable') },
    { task: 'change', label: t('shares.bulk.change') },
    { task: 'remove', label: t('ui.remove') },
  ]
  return (
    <BulkBar selection={selection} total={total} tasks={tasks}>
      {(task, shares, onClose) => (
        <BulkShares {...{ task, shares, cluster, gateways, onClose }} onRest={selection.replace} />
      )}
    </BulkBar>
  )
}
