import { check, levelOf } from './check.js'
import { durationText } from './text.js'

interface SilenceFacts {
  readonly node: string
  /** A node that an operator disabled may be off. */
  readonly isEnabled: boolean
  /** `stale` or `offline`: heartbeats are missing. */
  readonly isSilent: boolean
  /** Seconds since its last message; null where it was never heard. */
  readonly silentSeconds: number | null
}

const silentSecondsLimits = { warning: 300, critical: 1_800 } as const

export const nodeSilent = check({
  code: 'node_silent',
  severity: 'warning',
  about: 'node',
  endangers: 'redundancy',
  effect: 'Nothing is known of its devices and servers; while it is off, its replicas are missing.',
  measure: { what: 'seconds since its last message', isAge: true },
  judge({ node, isEnabled, isSilent, silentSeconds }: SilenceFacts) {
    if (!isEnabled || !isSilent || silentSeconds === null || silentSeconds < silentSecondsLimits.warning)
      return undefined
    return {
      subject: node,
      ...levelOf(silentSeconds >= silentSecondsLimits.critical, silentSecondsLimits),
      value: Math.floor(silentSeconds),
      sentence: `${node} has sent nothing for ${durationText(silentSeconds)}.`,
      remedy: 'Check that the machine and its agent run (`systemctl status roost-agent`), or disable the node.',
    }
  },
})

interface ClusterSilenceFacts {
  readonly cluster: string
  /** Enabled nodes. */
  readonly nodes: number
  /** Those that became silent within one minute. */
  readonly silentNodes: number
  /** Since the last message of the first of them. */
  readonly silentSeconds: number
}

/** One switch or one power supply has many nodes; one alert says so. */
export const clusterSilent = check({
  code: 'cluster_silent',
  severity: 'critical',
  about: 'cluster',
  endangers: 'service',
  effect: 'Many replicas may be missing at once, and requests may fail.',
  measure: { what: 'nodes that became silent within a minute' },
  judge({ cluster, nodes, silentNodes, silentSeconds }: ClusterSilenceFacts) {
    const threshold = Math.max(1, nodes / 5)
    if (silentNodes <= threshold) return undefined
    return {
      value: silentNodes,
      threshold,
      subject: cluster,
      sentence: `${silentNodes} of ${nodes} nodes of ${cluster} became silent within a minute, ${durationText(silentSeconds)} ago.`,
      remedy: 'Check the network and the power that they share.',
    }
  },
})

interface StateFacts {
  readonly node: string
  readonly state: string
}

export const nodeDuplicate = check({
  code: 'node_duplicate',
  severity: 'critical',
  about: 'node',
  endangers: 'upkeep',
  effect: 'Reports of two machines are mixed, and deployments may reach the wrong one.',
  judge({ node, state }: StateFacts) {
    if (state !== 'duplicate') return undefined
    return {
      subject: node,
      sentence: `Two machines report as ${node}, as after a clone of its disk.`,
      remedy: 'Stop the agent of the clone, delete its state directory and enroll it as a new node.',
    }
  },
})

export const nodeNeedsUpgrade = check({
  code: 'node_needs_upgrade',
  severity: 'warning',
  about: 'node',
  endangers: 'upkeep',
  effect: 'The node reports nothing and gets no deployments.',
  judge({ node, state }: StateFacts) {
    if (state !== 'needs_upgrade') return undefined
    return {
      subject: node,
      sentence: `The agent of ${node} speaks a protocol that this control plane does not support.`,
      remedy: 'Upgrade the agent.',
    }
  },
})

interface WaitingFacts {
  readonly node: string
  readonly isEnabled: boolean
  /** Roles that the node claims and no operator has granted, such as `gateway`. */
  readonly roles: readonly string[]
}

/** Whoever adds a node approves its roles within minutes. */
export const roleWaits = check({
  code: 'role_waits',
  severity: 'warning',
  about: 'node',
  endangers: 'upkeep',
  effect: 'The node gets no deployments of the role: its shares or users stay as they are.',
  alert: { forSeconds: 600 },
  judge({ node, isEnabled, roles }: WaitingFacts) {
    if (!isEnabled || roles.length === 0) return undefined
    return {
      subject: node,
      sentence: `${node} claims the role ${roles.join(' and ')}, which no operator has approved.`,
      remedy: `Approve it (\`roost node approve ${node}\`), or remove the node if you do not know it.`,
    }
  },
})

interface ClockFacts {
  readonly node: string
  /** Seconds that its clock is ahead of the control plane's; null without a connection. */
  readonly skewSeconds: number | null
}

const skewSecondsLimits = { warning: 5, critical: 30 } as const

export const clockSkew = check({
  code: 'clock_skew',
  severity: 'warning',
  about: 'node',
  endangers: 'data',
  effect: 'Swift decides by time which of two writes is newer: new data can lose against old data.',
  measure: { what: 'seconds between the clocks' },
  alert: { forSeconds: 300 },
  judge({ node, skewSeconds }: ClockFacts) {
    const size = Math.abs(skewSeconds ?? 0)
    if (size <= skewSecondsLimits.warning) return undefined
    return {
      subject: node,
      ...levelOf(size > skewSecondsLimits.critical, skewSecondsLimits),
      value: Math.round(size * 10) / 10,
      sentence: `The clock of ${node} is ${durationText(size)} ${(skewSeconds ?? 0) > 0 ? 'ahead of' : 'behind'} the control plane's. Swift decides by time which of two writes is newer.`,
      remedy: 'Synchronize the clocks of both machines, preferably with NTP.',
    }
  },
})
