import { ClusterInput, faultsOf } from '@roost/api-types/rest'
import { useQueryClient } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

interface ClusterFormProps {
  /** The one to rename; without it a new one is created. */
  readonly cluster?: ClusterRecord
  readonly onClose: () => void
}

/** Names a cluster: a new one, or again. */
export function ClusterForm({ cluster, onClose }: ClusterFormProps) {
  const queries = useQueryClient()
  const form = useForm<{ readonly name: string }, ClusterRecord>({
    initial: { name: cluster?.name ?? '' },
    check: (values) => faultsOf(ClusterInput, trimmed(values)),
    save: (values) =>
      cluster === undefined
        ? rpc.clusters.create.mutate(trimmed(values))
        : rpc.clusters.change.mutate({ id: cluster.id, change: trimmed(values) }),
    onSaved: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ['clusters'] })
      toast(t(cluster === undefined ? 'clusters.added' : 'clusters.renamed', { name }))
      onClose()
    },
  })
  const title = cluster === undefined ? t('clusters.new') : t('clusters.renameOf', { name: cluster.name })
  const submit = t(cluster === undefined ? 'overview.addCluster' : 'clusters.renameAction')
  return (
    <Dialog open onClose={onClose} title={title}>
      <FormBody
        form={form}
        label={title}
        actions={<DialogActions isBusy={form.isBusy} onCancel={onClose} submit={submit} />}
      >
        <TextField form={form} name="name" label={t('overview.newCluster')} help={t('clusters.name.help')} />
      </FormBody>
    </Dialog>
  )
}

function trimmed({ name }: { readonly name: string }) {
  return { name: name.trim() }
}
