import { ClusterInput, faultsOf } from '@roost/api-types/rest'
import { rpc } from '../api/client.js'
import { TextField } from '../form/fields.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'

interface ClusterFormProps {
  /** The one to rename; without it a new one is created. */
  readonly cluster?: ClusterRecord
  readonly onClose: () => void
}

/** Names a cluster: a new one, or again. */
export function ClusterForm({ cluster, onClose }: ClusterFormProps) {
  return (
    <FormDialog<{ readonly name: string }, ClusterRecord>
      title={cluster === undefined ? t('clusters.new') : t('clusters.renameOf', { name: cluster.name })}
      submit={t(cluster === undefined ? 'overview.addCluster' : 'clusters.renameAction')}
      initial={{ name: cluster?.name ?? '' }}
      check={(values) => faultsOf(ClusterInput, trimmed(values))}
      save={(values) =>
        cluster === undefined
          ? rpc.clusters.create.mutate(trimmed(values))
          : rpc.clusters.change.mutate({ id: cluster.id, change: trimmed(values) })
      }
      changes="clusters"
      saved={({ name }) => t(cluster === undefined ? 'clusters.added' : 'clusters.renamed', { name })}
      onClose={onClose}
    >
      {(form) => <TextField form={form} name="name" label={t('overview.newCluster')} help={t('clusters.name.help')} />}
    </FormDialog>
  )
}

function trimmed({ name }: { readonly name: string }) {
  return { name: name.trim() }
}
