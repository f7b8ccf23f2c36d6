import { check, levelOf } from './check.js'
import { countText } from './text.js'

/** What it means that a device is not mounted, missing or broken. */
export const replicasUnavailable = {
  severity: 'warning',
  endangers: 'redundancy',
  effect: 'The replicas on it are not available, and their data has fewer copies than its policy demands.',
  alert: { forSeconds: 180 },
} as const

interface DeviceFacts {
  readonly node: string
  readonly device: string
  readonly status: string
}

export const deviceUnmounted = check({
  code: 'device_unmounted',
  ...replicasUnavailable,
  about: 'device',
  judge({ node, device, status }: DeviceFacts) {
    if (status !== 'unmounted') return undefined
    return {
      subject: device,
      sentence: `The device ${device} of ${node} is not mounted.`,
      remedy: 'Mount it, or remove it from the rings.',
    }
  },
})

export const deviceMissing = check({
  code: 'device_missing',
  ...replicasUnavailable,
  about: 'device',
  judge({ node, device, status }: DeviceFacts) {
    if (status !== 'missing') return undefined
    return {
      subject: device,
      sentence: `The disk of the device ${device} is missing on ${node}.`,
      remedy: 'Insert the disk or replace it, or remove the device from the rings.',
    }
  },
})

interface FullDevicesFacts {
  readonly node: string
  /** Devices of the node above the limit of the warning. */
  readonly devices: number
  /** The fullest of them, and how much it has in use of the space that its filesystem can give. */
  readonly fullest: string
  readonly usedPercent: number
}

/** Percent: what other devices, or the next expansion, still have time to take. */
export const deviceFullWarning = 85
export const deviceFullCritical = 92

export const fullDeviceEffect = 'A device without space refuses new replicas: writes get slower, and later fail.'

/** One for each node: in a cluster that fills, all devices are full at the same time. */
export const deviceFull = check({
  code: 'device_full',
  severity: 'warning',
  about: 'node',
  endangers: 'space',
  effect: fullDeviceEffect,
  measure: { what: 'percent of the space of the fullest device in use' },
  alert: { forSeconds: 300 },
  judge({ node, devices, fullest, usedPercent }: FullDevicesFacts) {
    const value = Math.round(usedPercent * 10) / 10
    if (value < deviceFullWarning) return undefined
    return {
      subject: node,
      ...levelOf(value >= deviceFullCritical, { warning: deviceFullWarning, critical: deviceFullCritical }),
      value,
      sentence: `The device ${fullest} of ${node} is ${value} % full${devices > 1 ? `; ${devices} of its devices are above ${deviceFullWarning} %` : ''}.`,
      remedy: 'Add devices, or lower their weight in the rings and rebalance.',
    }
  },
})

interface PolicyDevicesFacts {
  readonly policy: string
  /** Devices of the policy that are unmounted, missing or failed. */
  readonly devices: number
  /** Nodes that have such devices. */
  readonly nodes: number
}

const mostNodes = 1

/** Swift keeps replicas of an object on different nodes: it can lose two of them as soon as devices of two nodes fail. */
export const policyDevicesUnavailable = check({
  code: 'policy_devices_unavailable',
  severity: 'critical',
  about: 'policy',
  endangers: 'data',
  effect: 'Some objects may have lost several replicas: one more failure can lose data or refuse reads.',
  measure: { what: 'nodes with devices that are not available' },
  alert: { forSeconds: 180 },
  judge({ policy, devices, nodes }: PolicyDevicesFacts) {
    if (nodes <= mostNodes) return undefined
    return {
      value: nodes,
      threshold: mostNodes,
      subject: policy,
      sentence: `${countText(devices, 'device')} of the policy ${policy} on ${nodes} nodes are not available: some objects may have lost several replicas or fragments.`,
      remedy: 'Repair the devices of one node at once.',
    }
  },
})
