import { useNavigate } from '@tanstack/react-router'
import { t } from '../words/text.js'
import { useClusters } from './use-cluster.js'

/** Which cluster the screens show. There is nothing to choose with one. */
export function ClusterChoice() {
  const { all, chosen } = useClusters()
  const navigate = useNavigate()
  if (all.length < 2) return null
  return (
    <select
      className="input cluster-choice"
      aria-label={t('shell.clusterChoice')}
      value={chosen?.id}
      onChange={({ target }) => void navigate({ to: '.', search: (old) => ({ ...old, cluster: target.value }) })}
    >
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}
