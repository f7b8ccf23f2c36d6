import type { Collector } from './engine/collector.js'
import { gauge, rate } from './engine/metric.js'
import type { Measurement, Unit } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

interface Field {
  readonly metric: string
  readonly unit: Unit
  readonly make: typeof gauge | typeof rate
}

/** Maps the heading of a line and a name in it to the field. */
type Selection = ReadonlyMap<string, ReadonlyMap<string, Field>>

type Row = readonly [heading: string, family: string, make: Field['make'], unit: Unit, names: string]

// The fields have the kernel's names; nstat and the kernel's networking/snmp_counter describe them.
const counterRows: readonly Row[] = [
  ['Tcp', 'tcp', gauge, 'count', 'CurrEstab'],
  ['Tcp', 'tcp', rate, 'packets/s', 'InSegs OutSegs'],
  [
    'Tcp',
    'tcp',
    rate,
    'events/s',
    'ActiveOpens PassiveOpens AttemptFails EstabResets RetransSegs InErrs OutRsts InCsumErrors',
  ],
  [
    'TcpExt',
    'tcp',
    rate,
    'events/s',
    'SyncookiesSent SyncookiesRecv SyncookiesFailed PruneCalled RcvPruned OfoPruned TW DelayedACKs ListenOverflows ' +
      'ListenDrops TCPLostRetransmit TCPFastRetrans TCPSlowStartRetrans TCPTimeouts TCPLossProbes TCPAbortOnData ' +
      'TCPAbortOnClose TCPAbortOnMemory TCPAbortOnTimeout TCPMemoryPressures TCPBacklogDrop TCPRcvCollapsed ' +
      'TCPReqQFullDrop TCPReqQFullDoCookies TCPRetransFail TCPSynRetrans TCPKeepAlive TCPOFOQueue',
  ],
  ['Udp', 'udp', rate, 'packets/s', 'InDatagrams OutDatagrams'],
  ['Udp', 'udp', rate, 'events/s', 'NoPorts InErrors RcvbufErrors SndbufErrors InCsumErrors MemErrors'],
  ['Ip', 'ip', rate, 'packets/s', 'InReceives InDelivers OutRequests ForwDatagrams'],
  [
    'Ip',
    'ip',
    rate,
    'events/s',
    'InHdrErrors InAddrErrors InUnknownProtos InDiscards OutDiscards OutNoRoutes ReasmTimeout ReasmReqds ReasmOKs ' +
      'ReasmFails FragOKs FragFails FragCreates',
  ],
  ['IpExt', 'ip', rate, 'bytes/s', 'InOctets OutOctets InMcastOctets OutMcastOctets'],
  ['IpExt', 'ip', rate, 'packets/s', 'InMcastPkts OutMcastPkts InBcastPkts OutBcastPkts'],
  ['IpExt', 'ip', rate, 'events/s', 'InNoRoutes InTruncatedPkts InCsumErrors'],
]

const socketRows: readonly Row[] = [
  ['TCP', 'tcp', gauge, 'count', 'inuse orphan tw alloc'],
  ['TCP', 'tcp', gauge, 'pages', 'mem'],
  ['UDP', 'udp', gauge, 'count', 'inuse'],
  ['UDP', 'udp', gauge, 'pages', 'mem'],
  ['FRAG', 'ip.frag', gauge, 'count', 'inuse'],
  ['FRAG', 'ip.frag', gauge, 'bytes', 'memory'],
]

const counters = selectionOf(counterRows)
const sockets = selectionOf(socketRows)

function selectionOf(rows: readonly Row[]): Selection {
  const selection = new Map<string, Map<string, Field>>()
  for (const [heading, family, make, unit, names] of rows) {
    const fields = selection.get(heading) ?? new Map<string, Field>()
    selection.set(heading, fields)
    for (const name of names.split(' ')) fields.set(name, { metric: `net.${family}.${name}`, unit, make })
  }
  return selection
}

function measure(field: Field | undefined, text: string | undefined, into: Measurement[]): void {
  const value = Number(text)
  if (field && text !== undefined && Number.isFinite(value)) into.push(field.make(field.metric, field.unit, value))
}

/** Parses /proc/net/snmp and netstat, which have names on one line and numbers on the next. */
export function parseCounters(text: string): readonly Measurement[] {
  const measurements: Measurement[] = []
  let heading: string | undefined
  let names: readonly string[] = []
  eachLine(text, (line) => {
    const own = line.slice(0, Math.max(0, line.indexOf(':')))
    const fields = counters.get(own)
    if (!fields) return
    const row = columns(line)
    if (own === heading) {
      names.forEach((name, column) => measure(fields.get(name), row[column], measurements))
      heading = undefined
    } else {
      heading = own
      names = row
    }
  })
  return measurements
}

/** Parses /proc/net/sockstat, whose lines alternate names and numbers. */
export function parseSockstat(text: string): readonly Measurement[] {
  const measurements: Measurement[] = []
  eachLine(text, (line) => {
    const fields = sockets.get(line.slice(0, Math.max(0, line.indexOf(':'))))
    if (!fields) return
    const row = columns(line)
    for (let i = 1; i + 1 < row.length; i += 2) measure(fields.get(row[i] as string), row[i + 1], measurements)
  })
  return measurements
}

/** Reports the kernel's counters of TCP, UDP and IP. */
export const net: Collector = {
  name: 'net',
  read: ({ machine }) => [
    ...parseCounters(machine.read('/proc/net/snmp') ?? ''),
    ...parseCounters(machine.read('/proc/net/netstat') ?? ''),
    ...parseSockstat(machine.read('/proc/net/sockstat') ?? ''),
  ],
}
