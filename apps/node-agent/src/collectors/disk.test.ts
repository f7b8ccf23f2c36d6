import { expect, it } from 'vitest'
import { disk, parseDiskstats } from './disk.js'
import { parseNetDev } from './interface.js'
import { testHost } from './testing/test-host.js'

const names = (text: string): string[] => parseDiskstats(text).map(({ disk, counters }) => `${disk} ${counters.length}`)

it('reads the columns of each kernel, and skips partitions without counters', () => {
  expect(names('   8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n   8 1 sda1 1 2 3 4\n')).toEqual(['sda 11'])
  expect(names(' 259 0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n')).toEqual(['nvme0n1 17'])
  expect(names('8 0 sda 1 2 3 4 5 6 7 8 9 x 11\n')).toEqual([])
})

it('leaves out partitions and unused devices', async () => {
  const host = testHost({
    '/proc/diskstats':
      '8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n8 1 sda1 1 0 8 1 0 0 0 0 0 1 1\n7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n',
    '/sys/block/loop0/ro': '0\n',
    '/sys/block/sda/ro': '0\n',
  })
  const found = await disk.read(host)
  expect(new Set(found.map(({ name }) => name.split('.')[1]))).toEqual(new Set(['sda']))
})

it('reads interfaces with and without a blank after the colon', () => {
  const counters = Array.from({ length: 16 }, (_, i) => i)
  const line = counters.join(' ')
  expect(parseNetDev(`face |bytes packets\n  eth0:${line}\n eth0:1: ${line}\n bad: 1 2\n`)).toEqual([
    { name: 'eth0', counters },
    { name: 'eth0:1', counters },
  ])
})
