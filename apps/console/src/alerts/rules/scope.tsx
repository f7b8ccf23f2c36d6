import { idIn } from '../../api/uri.js'
import { useClusters } from '../../shell/use-cluster.js'
import { t } from '../../words/text.js'

/** The cluster of a rule, by its name. */
export function Scope({ cluster }: { readonly cluster: string | null }) {
  const { all } = useClusters()
  if (cluster === null) return t('rules.everyCluster')
  return all.find(({ id }) => id === idIn(cluster))?.name ?? cluster
}
