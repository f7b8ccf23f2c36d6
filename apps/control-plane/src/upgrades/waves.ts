import type { UpgradeTargetState } from '@roost/api-types/rest'

/** A node that an upgrade concerns, when it is created. */
export interface UpgradeNode {
  readonly nodeId: number
  /** The version that its agent reported last. */
  readonly version: string
  readonly isConnected: boolean
  /** False: its agent has said that it installs no upgrades. */
  readonly acceptsUpgrades: boolean
}

export interface WaveRules {
  readonly version: string
  readonly canary: number
  readonly wavePercent: number
}

export interface PlannedTarget {
  readonly nodeId: number
  /** 0 for a node that is not upgraded. */
  readonly wave: number
  readonly state: UpgradeTargetState
  readonly message: string
  readonly fromVersion: string
}

export const notAccepted =
  'The agent of this node accepts no upgrades: it is older than upgrades, was not installed from a package, or its configuration refuses them. Install the package on the node by hand.'

/** Divides the nodes into waves: the canaries first, which are connected nodes where there are any, and then parts of the rest. */
export function planWaves(nodes: readonly UpgradeNode[], rules: WaveRules): readonly PlannedTarget[] {
  const due = nodes.filter((node) => node.version !== rules.version && (node.acceptsUpgrades || !node.isConnected))
  const ordered = due.toSorted((a, b) => Number(b.isConnected) - Number(a.isConnected) || a.nodeId - b.nodeId)
  const size = Math.max(1, Math.ceil(((due.length - rules.canary) * rules.wavePercent) / 100))
  const waves = new Map(ordered.map(({ nodeId }, i) => [nodeId, waveOf(i, rules.canary, size)]))
  return nodes.map((node) => {
    const { nodeId, version: fromVersion } = node
    const wave = waves.get(nodeId)
    if (wave !== undefined) return { nodeId, wave, state: 'waiting', message: '', fromVersion }
    return { nodeId, wave: 0, fromVersion, ...endOf(node, rules) }
  })
}

function waveOf(index: number, canary: number, size: number): number {
  return index < canary ? 1 : 2 + Math.floor((index - canary) / size)
}

function endOf({ version }: UpgradeNode, rules: WaveRules): Pick<PlannedTarget, 'state' | 'message'> {
  if (version === rules.version) return { state: 'installed', message: 'The node has this version already.' }
  return { state: 'skipped', message: notAccepted }
}
