import type { Collector } from './engine/collector.js'
import { part, rate } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

interface InterfaceCounters {
  readonly name: string
  /** Eight counters of received data (bytes, packets, errors, drops …), then the same of sent data. */
  readonly counters: readonly number[]
}

export function parseNetDev(text: string): readonly InterfaceCounters[] {
  const interfaces: InterfaceCounters[] = []
  eachLine(text, (line) => {
    const colon = line.lastIndexOf(':') // old kernels write no blank after it
    const name = line.slice(0, Math.max(0, colon)).trim()
    const counters = columns(line.slice(colon + 1)).map(Number)
    if (name !== '' && counters.length >= 16 && counters.every(Number.isFinite)) interfaces.push({ name, counters })
  })
  return interfaces
}

function interfaceMeasurements({ name, counters }: InterfaceCounters): readonly Measurement[] {
  const prefix = `interface.${part(name)}`
  const at = (column: number): number => counters[column] ?? Number.NaN
  return [
    rate(`${prefix}.if_octets.rx`, 'bytes/s', at(0)),
    rate(`${prefix}.if_octets.tx`, 'bytes/s', at(8)),
    rate(`${prefix}.if_packets.rx`, 'packets/s', at(1)),
    rate(`${prefix}.if_packets.tx`, 'packets/s', at(9)),
    rate(`${prefix}.if_errors.rx`, 'errors/s', at(2)),
    rate(`${prefix}.if_errors.tx`, 'errors/s', at(10)),
    rate(`${prefix}.if_dropped.rx`, 'packets/s', at(3)),
    rate(`${prefix}.if_dropped.tx`, 'packets/s', at(11)),
  ]
}

/** Reports all interfaces except those of containers, which come and go with them. */
export const networkInterface: Collector = {
  name: 'interface',
  read: ({ machine }) =>
    parseNetDev(machine.read('/proc/net/dev') ?? '')
      .filter(({ name }) => !name.startsWith('veth'))
      .flatMap(interfaceMeasurements),
}
