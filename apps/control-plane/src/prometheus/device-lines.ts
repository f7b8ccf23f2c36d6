import type { Usage } from '@roost/capacity-core'
import { printable } from '@roost/runtime'
import type { DeviceLabels } from './store.js'

export type DeviceSpace = Omit<DeviceLabels, 'id'> & Usage

interface Family {
  readonly name: string
  readonly help: string
  readonly value: (device: DeviceSpace) => number
}

const families: readonly Family[] = [
  {
    name: 'roost_device_raw_bytes',
    help: 'Bytes of the filesystem of a device, without reserved free space',
    value: ({ rawBytes }) => rawBytes,
  },
  { name: 'roost_device_used_bytes', help: 'Bytes used on a device', value: ({ usedBytes }) => usedBytes },
  { name: 'roost_device_free_bytes', help: 'Bytes free on a device', value: ({ freeBytes }) => freeBytes },
]

/** The families of single devices as text. A fleet has more of them than a client library should hold as objects. */
export async function deviceLines(pages: AsyncIterable<readonly DeviceSpace[]>): Promise<string> {
  const texts = families.map(({ name, help }) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`)
  for await (const devices of pages) {
    for (const [i, { name, value }] of families.entries())
      texts[i] += devices.map((device) => `${name}${labelsOf(device)} ${value(device)}\n`).join('')
  }
  return texts.join('')
}

function labelsOf({ cluster, node, device }: DeviceSpace): string {
  return `{cluster="${escapeLabel(cluster)}",node="${escapeLabel(node)}",device="${escapeLabel(device)}"}`
}

/** Returns the value as Prometheus' text format requires it. Dashboards and terminals show it: it is made printable. */
export function escapeLabel(value: string): string {
  return printable(value)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
}
