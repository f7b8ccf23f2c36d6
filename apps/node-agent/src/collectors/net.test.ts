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
  expect(plain(xfsMeasurements('xfs.dm-0_1', 'rw 137\nxpc 1 2 3\nvnodes 9 9\n'))).toEqual([
    'xfs.dm-0_1.rw.write_calls 137',
    'xfs.dm-0_1.xpc.xstrat_bytes 1',
    'xfs.dm-0_1.xpc.write_bytes 2',
    'xfs.dm-0_1.xpc.read_bytes 3',
  ])
})

it('names the columns of XFS as collectd does', () => {
  const stats = 'dir 1 2 3 4\nig 10 11 12 13 14 15\nlog 20 21 22 23 24\nxstrat 30 31\nrw 40 41\n'
  expect(plain(xfsMeasurements('xfs', stats)).toSorted()).toEqual([
    'xfs.dir_ops.create 2',
    'xfs.dir_ops.getdents 4',
    'xfs.dir_ops.lookup 1',
    'xfs.dir_ops.remove 3',
    'xfs.inode_ops.ig_attempts 10',
    'xfs.inode_ops.ig_found 11',
    'xfs.inode_ops.ig_missed 13',
    'xfs.inode_ops.ig_reclaims 15',
    'xfs.log.blocks 21',
    'xfs.log.force 23',
    'xfs.log.force_sleep 24',
    'xfs.log.noiclogs 22',
    'xfs.log.writes 20',
    'xfs.rw.read_calls 41',
    'xfs.rw.write_calls 40',
    'xfs.xstrat.quick 30',
    'xfs.xstrat.split 31',
  ])
})
