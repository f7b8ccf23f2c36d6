import { useQuery } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import { containers, storage } from '../api/queries/clusters.js'
import { TextField } from '../form/fields.js'
import type { Form } from '../form/use-form.js'
import { useSettled } from '../form/use-settled.js'
import { t } from '../words/text.js'
import type { ShareValues } from './share-values.js'

interface ContainerFieldProps {
  readonly form: Form<ShareValues>
  /** Undefined while no gateway says which it is. */
  readonly cluster: number | undefined
}

const settledMs = 300

/** The container of a share, with the names that Swift has. Any other name is a new container. */
export function ContainerField({ form, cluster }: ContainerFieldProps) {
  const { names, isNew, error } = useContainers(cluster, form.values.objectstore_container)
  const help = error === null ? t('shares.container.help') : `${t('shares.container.help')} ${errorText(error)}`
  return (
    <TextField
      form={form}
      name="objectstore_container"
      label={t('shares.container')}
      help={isNew ? t('shares.container.new') : help}
      suggestions={names}
    />
  )
}

/** Returns the containers whose names begin with what was typed; none where the cluster has no storage login. */
function useContainers(cluster: number | undefined, typed: string) {
  const text = useSettled(typed, settledMs)
  const id = cluster ?? 0
  const { data: login = null } = useQuery({ ...storage(id), enabled: id > 0 })
  const { data, error, isPlaceholderData } = useQuery({ ...containers(id, text), enabled: login !== null })
  const names = data?.containers.map(({ name }) => name) ?? []
  const isKnown = data !== undefined && !isPlaceholderData && text !== ''
  // The name itself is the first of those that begin with it.
  return { names, error, isNew: isKnown && names[0] !== text }
}
