import type { Collector } from './collector.js'
import { gauge, rate } from './metric.js'
import type { Measurement, Unit } from './metric.js'
import { columns, lines } from './text.js'

/** `TcpExt.ListenDrops` and so on, of files that give the names on one line and the numbers on the next. */
export function parseSnmp(text: string): ReadonlyMap<string, number> {
  const fields = new Map<string, number>()
  const all = lines(text)
  for (let i = 0; i + 1 < all.length; i += 2) {
    const [heading = '', ...names] = columns(all[i] as string)
    const [, ...values] = columns(all[i + 1] as string)
    names.forEach((name, column) => {
      const value = Number(values[column])
      if (Number.isFinite(value)) fields.set(`${heading.slice(0, -1)}.${name}`, value)
    })
  }
  return fields
}

/** `TCP.inuse` and so on, of lines that alternate names and numbers. */
export function parseSockstat(text: string): ReadonlyMap<string, number> {
  const fields = new Map<string, number>()
  for (const line of lines(text)) {
    const [heading = '', ...rest] = columns(line)
    for (let i = 0; i + 1 < rest.length; i += 2) {
      const value = Number(rest[i + 1])
      if (Number.isFinite(value)) fields.set(`${heading.slice(0, -1)}.${rest[i]}`, value)
    }
  }
  return fields
}

// The fields by the kernel's own names, as nstat and the kernel's networking/snmp_counter describe them.
const tcpEvents = 'ActiveOpens PassiveOpens AttemptFails EstabResets RetransSegs InErrs OutRsts InCsumErrors'
const tcpExtendedEvents =
  'SyncookiesSent SyncookiesRecv SyncookiesFailed PruneCalled RcvPruned OfoPruned TW DelayedACKs ListenOverflows ' +
  'ListenDrops TCPLostRetransmit TCPFastRetrans TCPSlowStartRetrans TCPTimeouts TCPLossProbes TCPAbortOnData ' +
  'TCPAbortOnClose TCPAbortOnMemory TCPAbortOnTimeout TCPMemoryPressures TCPBacklogDrop TCPRcvCollapsed ' +
  'TCPReqQFullDrop TCPReqQFullDoCookies TCPRetransFail TCPSynRetrans TCPKeepAlive TCPOFOQueue'
const udpEvents = 'NoPorts InErrors RcvbufErrors SndbufErrors InCsumErrors MemErrors'
const ipEvents =
  'InHdrErrors InAddrErrors InUnknownProtos InDiscards OutDiscards OutNoRoutes ReasmTimeout ReasmReqds ReasmOKs ' +
  'ReasmFails FragOKs FragFails FragCreates'

interface Selection {
  readonly protocol: 'tcp' | 'udp' | 'ip'
  readonly heading: string
  readonly unit: Unit
  readonly fields: readonly string[]
}

const counters: readonly Selection[] = [
  { protocol: 'tcp', heading: 'Tcp', unit: 'packets/s', fields: ['InSegs', 'OutSegs'] },
  { protocol: 'tcp', heading: 'Tcp', unit: 'events/s', fields: tcpEvents.split(' ') },
  { protocol: 'tcp', heading: 'TcpExt', unit: 'events/s', fields: tcpExtendedEvents.split(' ') },
  { protocol: 'udp', heading: 'Udp', unit: 'packets/s', fields: ['InDatagrams', 'OutDatagrams'] },
  { protocol: 'udp', heading: 'Udp', unit: 'events/s', fields: udpEvents.split(' ') },
  {
    protocol: 'ip',
    heading: 'Ip',
    unit: 'packets/s',
    fields: ['InReceives', 'InDelivers', 'OutRequests', 'ForwDatagrams'],
  },
  { protocol: 'ip', heading: 'Ip', unit: 'events/s', fields: ipEvents.split(' ') },
  {
    protocol: 'ip',
    heading: 'IpExt',
    unit: 'bytes/s',
    fields: ['InOctets', 'OutOctets', 'InMcastOctets', 'OutMcastOctets'],
  },
  {
    protocol: 'ip',
    heading: 'IpExt',
    unit: 'packets/s',
    fields: ['InMcastPkts', 'OutMcastPkts', 'InBcastPkts', 'OutBcastPkts'],
  },
  { protocol: 'ip', heading: 'IpExt', unit: 'events/s', fields: ['InNoRoutes', 'InTruncatedPkts', 'InCsumErrors'] },
]

const gauges: readonly Selection[] = [
  { protocol: 'tcp', heading: 'Tcp', unit: 'count', fields: ['CurrEstab'] },
  { protocol: 'tcp', heading: 'TCP', unit: 'count', fields: ['inuse', 'orphan', 'tw', 'alloc'] },
  { protocol: 'tcp', heading: 'TCP', unit: 'pages', fields: ['mem'] },
  { protocol: 'udp', heading: 'UDP', unit: 'count', fields: ['inuse'] },
  { protocol: 'udp', heading: 'UDP', unit: 'pages', fields: ['mem'] },
  { protocol: 'ip', heading: 'FRAG', unit: 'count', fields: ['inuse'] },
  { protocol: 'ip', heading: 'FRAG', unit: 'bytes', fields: ['memory'] },
]

export function netMeasurements(
  snmp: ReadonlyMap<string, number>,
  sockstat: ReadonlyMap<string, number>,
): readonly Measurement[] {
  const select = (selections: readonly Selection[], make: typeof gauge): readonly Measurement[] =>
    selections.flatMap(({ protocol, heading, unit, fields }) =>
      fields.flatMap((field) => {
        const value = snmp.get(`${heading}.${field}`) ?? sockstat.get(`${heading}.${field}`)
        // The fragments' sockets would be taken for the protocol's.
        const name = heading === 'FRAG' ? `frag_${field}` : field
        return value === undefined ? [] : [make(`net.${protocol}.${name}`, unit, value)]
      }),
    )
  return [...select(counters, rate), ...select(gauges, gauge)]
}

export const net: Collector = {
  name: 'net',
  read({ machine }) {
    const snmp = parseSnmp(`${machine.read('/proc/net/snmp') ?? ''}${machine.read('/proc/net/netstat') ?? ''}`)
    return netMeasurements(snmp, parseSockstat(machine.read('/proc/net/sockstat') ?? ''))
  },
}
