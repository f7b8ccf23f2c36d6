import { expect, it } from 'vitest'
import { conntrackEvents } from './conntrack.js'
import { parseCounters, parseSockstat } from './net.js'
import { parsePressure } from './pressure.js'
import { xfsMeasurements } from './xfs.js'

const plain = (measurements: ReturnType<typeof parseCounters>) =>
  measurements.map(({ name, value }) => `${name} ${value}`)

it('finds counters by their names, in any order', () => {
  expect(plain(parseCounters('Tcp: OutSegs New CurrEstab\nTcp: 7 8 9\nIcmp: InMsgs\nIcmp: 1\n'))).toEqual([
    'net.tcp.OutSegs 7',
    'net.tcp.CurrEstab 9',
  ])
})

it('ignores numbers of other lines', () => {
  expect(plain(parseCounters('Tcp: OutSegs InSegs\nTcp: 7\nUdp: InDatagrams\n'))).toEqual(['net.tcp.OutSegs 7'])
  expect(parseCounters('Tcp: OutSegs\n')).toEqual([])
})

it('reads the numbers of sockets', () => {
  expect(
    plain(parseSockstat('sockets: used 17\nTCP: inuse 1 orphan 2 mem\nUDPLITE: inuse 5\nFRAG: inuse 3 memory 4\n')),
  ).toEqual(['net.tcp.inuse 1', 'net.tcp.orphan 2', 'net.ip.frag.inuse 3', 'net.ip.frag.memory 4'])
})

it('adds up the hexadecimal events of connection tracking over the CPUs', () => {
  expect(
    plain(conntrackEvents('entries  drop early_drop\n00000010  0000000a 00000001\n00000010  00000010 00000000\n')),
  ).toEqual(['conntrack.events.drop 26', 'conntrack.events.early_drop 1'])
})

it('reports stalled time as a percentage', () => {
  expect(plain(parsePressure('io', 'some avg10=0.25 avg60=0.36 total=5435778\nfull avg10=x total=\n'))).toEqual([
    'pressure.io.some.avg10 0.25',
    'pressure.io.some.avg60 0.36',
    'pressure.io.some.stalled 543.5778',
  ])
})

it('reads the columns of XFS that the kernel has', () => {
  expect(plain(xfsMeasurements('dm-0.1', 'rw 137\nxpc 1 2 3\nvnodes 9 9\n'))).toEqual([
    'xfs.dm-0_1.rw.write_calls 137',
    'xfs.dm-0_1.xpc.flushed 1',
    'xfs.dm-0_1.xpc.written 2',
    'xfs.dm-0_1.xpc.read 3',
  ])
})
