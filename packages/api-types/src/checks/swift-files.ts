import { check } from './check.js'

export const ringUnreadable = check({
  code: 'ring_unreadable',
  severity: 'critical',
  about: 'file',
  endangers: 'service',
  effect: 'Swift on this node cannot find data after its next restart.',
  judge: ({ path, reason }: { readonly path: string; readonly reason: string }) => ({
    subject: path,
    sentence: `The ring ${path} cannot be used: ${reason}.`,
    remedy: 'Its last known devices are kept. Copy the ring from another node again.',
  }),
})

export const ringMissing = check({
  code: 'ring_missing',
  severity: 'critical',
  about: 'file',
  endangers: 'service',
  effect: 'The node does not serve this policy.',
  judge: ({ path, policy }: { readonly path: string; readonly policy: string }) => ({
    subject: path,
    sentence: `The policy ${policy} has no ring on this node:`,
    remedy: `copy ${path} here.`,
  }),
})

export const ringWithoutPolicy = check({
  code: 'ring_without_policy',
  severity: 'warning',
  about: 'file',
  endangers: 'upkeep',
  effect: 'The devices of this ring belong to no policy and are not counted.',
  judge: ({ path, ring }: { readonly path: string; readonly ring: string }) => ({
    subject: path,
    sentence: `swift.conf has no policy for the ring ${ring}, so that its devices belong to no policy:`,
    remedy: 'add the policy to swift.conf, or remove the ring.',
  }),
})

export const swiftConfInvalid = check({
  code: 'swift_conf_invalid',
  severity: 'critical',
  about: 'file',
  endangers: 'service',
  effect: 'Swift on this node cannot start again.',
  judge: ({ path, reason }: { readonly path: string; readonly reason: string }) => ({
    subject: path,
    sentence: `The storage policies of ${path} cannot be used: ${reason}.`,
    remedy: 'The last valid ones are kept. Copy the file from another node, or correct it.',
  }),
})

export const swiftConfUnreadable = check({
  code: 'swift_conf_unreadable',
  severity: 'warning',
  about: 'file',
  endangers: 'upkeep',
  effect: 'The control plane does not know how this node is configured.',
  judge: ({ path, error }: { readonly path: string; readonly error: string }) => ({
    subject: path,
    sentence: `${path} cannot be read (${error}):`,
    remedy: "give the agent's user permission to read it, for example through the group swift.",
  }),
})

export const mountCheckOff = check({
  code: 'mount_check_off',
  severity: 'warning',
  about: 'directory',
  endangers: 'data',
  effect: 'When a device is not mounted, its data goes to the system disk, which fills, and the data is hidden later.',
  judge: ({ devices }: { readonly devices: string }) => ({
    subject: devices,
    sentence: `Swift servers with devices in ${devices} have mount_check = false: when a device is not mounted, they write to the filesystem below its mount point and can fill it.`,
    remedy: 'Set mount_check = true.',
  }),
})

export const ringNameUnresolved = check({
  code: 'ring_name_unresolved',
  severity: 'warning',
  about: 'ring',
  endangers: 'service',
  effect: 'Servers that resolve the names themselves cannot reach other nodes.',
  alert: { forSeconds: 300 },
  judge({ names }: { readonly names: readonly string[] }) {
    if (names.length === 0) return undefined
    const some = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`
    return {
      subject: 'rings',
      sentence: `The rings name hosts that the name server does not resolve now (${some}). The last known devices are kept.`,
      remedy: 'Check the name server of this node.',
    }
  },
})

export const noOwnDevice = check({
  code: 'no_own_device',
  severity: 'warning',
  about: 'ring',
  endangers: 'upkeep',
  effect: 'The devices of this node are not known.',
  judge: ({ addresses }: { readonly addresses: readonly string[] }) => ({
    subject: 'rings',
    sentence: `No ring has a device with an address of this node (${addresses.join(', ')}):`,
    remedy: `set "swift": {"addresses": […]} in the agent's configuration.`,
  }),
})

interface TransferFacts {
  readonly file: string
  /** What the template of the file lacks, and what to do; null where it is right and the proxy has not read it. */
  readonly fault: string | null
}

export const transferNotCounted = check({
  code: 'transfer_not_counted',
  severity: 'warning',
  about: 'file',
  endangers: 'upkeep',
  effect: 'Transfer of some accounts is missing in the usage.',
  judge: ({ file, fault }: TransferFacts) =>
    fault === null
      ? {
          subject: file,
          sentence:
            'Requests by S3 had no account in the access log within the last 10 minutes, although log_msg_template has it:',
          remedy: 'reload the proxy.',
        }
      : { subject: file, sentence: fault, remedy: 'Then run `roost-agent doctor` again.' },
})
