import type { DesiredShare } from '@roost/api-types/agent'
import type { DeclaredFile } from './servers/declared-file.js'
import { renderExports } from './servers/kernel-nfs/render.js'
import { renderGanesha } from './servers/ganesha/render.js'
import { type ValidatedShare, quote, validateShare, ShareError, type ShareLocations } from './servers/validate-share.js'
import { renderSamba } from './servers/samba/render.js'
import type { Machine } from '../machine/machine.js'
import { isInstalled, type ServerSetup } from './servers/server-setup.js'
import { exportsSetup } from './servers/kernel-nfs/setup.js'
import { ganeshaSetup } from './servers/ganesha/setup.js'
import { sambaSetup } from './servers/samba/setup.js'

export type Protocol = DesiredShare['protocol']
type ShareOf<P extends Protocol> = Extract<ValidatedShare, { readonly protocol: P }>
type Render<P extends Protocol> = (shares: readonly ShareOf<P>[], generation: number) => DeclaredFile

/** THE TABLE: what operators call each protocol, how it tells names apart, by which servers it is served, and what renders their configuration. */
const protocols = {
  nfs: {
    label: 'NFS',
    hasAccounts: false,
    nameKey: (name) => name,
    servers: { kernel: renderExports, ganesha: renderGanesha },
  },
  // Samba merges sections whose names differ in case alone.
  cifs: {
    label: 'CIFS',
    hasAccounts: true,
    nameKey: (name) => name.toLowerCase(),
    servers: { samba: renderSamba },
  },
} as const satisfies {
  readonly [P in Protocol]: {
    readonly label: string
    /** Its shares may have passwords, each of an account of the machine. */
    readonly hasAccounts: boolean
    readonly nameKey: (name: string) => string
    readonly servers: Readonly<Record<string, Render<P>>>
  }
}

export const shareProtocols = Object.keys(protocols) as readonly Protocol[]

/** What makes each server read the file of shares, when the machine has it. */
const setups = { samba: sambaSetup, ganesha: ganeshaSetup, kernel: exportsSetup } as const
export const serverSetups: readonly ServerSetup[] = Object.values(setups)

/** Returns the setups of a machine whose NFS server is this one. */
export function setupsWith(machine: Machine, nfs: ShareServers['nfs']): readonly ServerSetup[] {
  const others = [setups.samba].filter((setup) => isInstalled(machine, setup))
  return [...others, ...(nfs === null ? [] : [setups[nfs]])]
}

export function hasAccounts(protocol: Protocol): boolean {
  return protocols[protocol].hasAccounts
}

export function labelOf(protocol: Protocol): string {
  return protocols[protocol].label
}

/** The server of each protocol on this node; null where there is none. */
export type ShareServers = { readonly [P in Protocol]: keyof (typeof protocols)[P]['servers'] | null }

export interface RenderOptions {
  readonly servers: ShareServers
  readonly locations: ShareLocations
  readonly generation: number
}

/**
 * Renders the files that make the node's servers export these shares: one for each server, also when it has none left. Throws
 * when a single setting cannot be written without a doubt, so that nothing is half done.
 */
export function renderShares(shares: readonly DesiredShare[], options: RenderOptions): readonly DeclaredFile[] {
  requireDistinct(shares)
  const validated = shares.map((share) => validateShare(share, options.locations)).toSorted((a, b) => a.id - b.id)
  return shareProtocols.flatMap((protocol) => renderProtocol(protocol, validated, options))
}

/** Throws where two shares of a node have the same id or export number, whatever their protocols. */
export function requireDistinct(shares: readonly DesiredShare[]): void {
  requireUnique(shares, 'id', (share) => String(share.id))
  requireUnique(shares, 'export_number', (share) => String(share.export_number))
}

function renderProtocol(
  protocol: Protocol,
  validated: readonly ValidatedShare[],
  { servers, generation }: RenderOptions,
): readonly DeclaredFile[] {
  const shares = validated.filter((share) => share.protocol === protocol)
  const { nameKey, servers: renders } = protocols[protocol]
  requireUnique(shares, 'name', (share) => nameKey(share.name))
  const server = servers[protocol]
  if (server !== null) {
    const render = renders[server as keyof typeof renders] as Render<Protocol>
    return [render(shares, generation)]
  }
  const first = shares[0]
  if (first === undefined) return []
  throw new ShareError(first, 'protocol', `is ${protocol}, but no server for this protocol is installed on this node`)
}

function requireUnique<S extends Pick<DesiredShare, 'id'>>(
  shares: readonly S[],
  field: string,
  key: (share: S) => string,
): void {
  const seen = new Map<string, S>()
  for (const share of shares) {
    const other = seen.get(key(share))
    if (other !== undefined)
      throw new ShareError(share, field, `${quote(key(share))} is already used by share ${other.id}`)
    seen.set(key(share), share)
  }
}
