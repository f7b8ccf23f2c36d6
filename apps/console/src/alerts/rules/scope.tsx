import { idIn } from '../../api/uri.js'
import { useClusters } from '../../shell/use-cluster.js'
import { t } from '../../words/text.js'

/** The cluster of a rule, by its name. */
export function Scope({ cluster }: { readonly cluster: string | null }) {
  const { all } = useClusters()
  if (cluster === null) return t('rules.everyCluster')
  return all.find(({ id }) => id === idIn(cluster))?.name ?? cluster
}

/** Returns the choices of a cluster for a new rule. */
export function useScopes(): readonly (readonly [id: string, name: string])[] {
  const { all } = useClusters()
  return all.map(({ id, name }) => [String(id), name])
}
