import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { idIn } from '../api/uri.js'
import { HardDrive, Server, Share2, UserRound } from '../ui/icons.js'
import type { Icon } from '../ui/icons.js'
import { t } from '../words/text.js'
import { hits, isSearched } from './query.js'
import type { SearchHit } from './query.js'

/** What the palette finds, and what opens it. */
export interface PaletteEntry {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly icon: Icon
  readonly run: () => void
}

/** After the last key, so that not every one asks the server. */
const restMs = 150

const icons = { nodes: Server, devices: HardDrive, gateway_shares: Share2, users: UserRound } as const
const names = { nodes: 'nav.nodes', devices: 'nav.devices', gateway_shares: 'nav.shares', users: 'nav.users' } as const

export interface RecordHits {
  /** Of this query and no earlier one: `Enter` opens the first. */
  readonly found: readonly PaletteEntry[]
  /** The records of the query are not known yet. */
  readonly isPending: boolean
  readonly error: Error | null
}

/** Searches for the nodes, devices, shares and users that have the query in their names. */
export function useRecordHits(query: string): RecordHits {
  const navigate = useNavigate()
  const text = query.trim()
  const rested = useRested(text)
  const { data, error } = useQuery(hits(rested))
  const toNode = (uri: string | null, tab?: string) =>
    navigate({ to: '/nodes/$id/{-$tab}', params: { id: String(idIn(uri ?? '')), tab } })
  const open = ({ resource, resource_uri: uri, node }: SearchHit) => {
    if (resource === 'nodes') return toNode(uri)
    if (resource === 'devices') return toNode(node, 'devices')
    return navigate({ to: resource === 'users' ? '/users/$id' : '/shares/$id', params: { id: String(idIn(uri)) } })
  }
  if (rested !== text) return { found: [], isPending: isSearched(text), error: null }
  const found = (data ?? []).map((hit) => ({
    id: hit.resource_uri,
    name: hit.name,
    hint: [t(names[hit.resource]), hit.detail].filter((part) => part !== '').join(' · '),
    icon: icons[hit.resource],
    run: () => void open(hit),
  }))
  return { found, isPending: isSearched(text) && data === undefined && error === null, error }
}

/** Returns the text once it has not changed for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
