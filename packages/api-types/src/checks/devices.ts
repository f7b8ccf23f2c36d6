import { check } from './check.js'
import { countText } from './text.js'

interface DeviceFacts {
  readonly node: string
  readonly device: string
  readonly status: string
}

export const deviceUnmounted = check({
  code: 'device_unmounted',
  severity: 'warning',
  about: 'device',
  endangers: 'redundancy',
  effect: 'The replicas on it are not available, and their data has fewer copies than its policy demands.',
  alert: { forSeconds: 180 },
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
  severity: 'warning',
  about: 'device',
  endangers: 'redundancy',
  effect: 'The replicas on it are not available, and their data has fewer copies than its policy demands.',
  alert: { forSeconds: 180 },
  judge({ node, device, status }: DeviceFacts) {
    if (status !== 'missing') return undefined
    return {
      subject: device,
      sentence: `The disk of the device ${device} is missing on ${node}.`,
      remedy: 'Insert the disk or replace it, or remove the device from the rings.',
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
