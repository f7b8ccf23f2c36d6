import { useQuery } from '@tanstack/react-query'
import { gateways, proxies } from '../api/queries/gateways.js'
import { idIn } from '../api/uri.js'
import { useClusters } from '../shell/use-cluster.js'
import { t } from '../words/text.js'

interface Names {
  readonly node: (uri: string) => string
  readonly cluster: (uri: string) => string
}

/** Returns the names of nodes and clusters by their resource URIs. */
export function useNames(): Names {
  const { all, chosen } = useClusters()
  const cluster = chosen?.id ?? 0
  const isKnown = chosen !== undefined
  const shares = useQuery({ ...gateways(cluster), enabled: isKnown })
  const users = useQuery({ ...proxies(cluster), enabled: isKnown })
  const nodes = new Map([...(shares.data ?? []), ...(users.data ?? [])].map(({ id, hostname }) => [id, hostname]))
  return {
    node: (uri) => nodes.get(idIn(uri)) ?? t('shares.node', { id: String(idIn(uri)) }),
    cluster: (uri) => all.find(({ id }) => id === idIn(uri))?.name ?? uri,
  }
}
