import { expect, it } from 'vitest'
import { createProcessStates, parseProcessState } from './process-states.js'
import { testHost } from './testing/test-host.js'

it.each([
  ['1 (systemd) S 0 1 1', 'S'],
  ['40 (a) R (b) D 1 1', 'D'],
  ['41 (Z) Z 1', 'Z'],
  ['42 () ) T 1', 'T'],
  ['', undefined],
  ['nonsense', undefined],
])('finds the state in %j', (stat, letter) => {
  expect(parseProcessState(stat)).toBe(letter)
})

it('is read once a minute, and less often on a machine with thousands of processes', async () => {
  const stat = '1 (swift-object-se) S 1'
  const pids = Array.from({ length: 5_000 }, (_, i) => [`/proc/${i + 1}/stat`, stat])
  const host = testHost({ ...Object.fromEntries(pids), '/proc/self/stat': stat, '/proc/net/dev': '' })
  const collector = createProcessStates()
  expect(collector.minIntervalMs).toBe(60_000)
  const found = await collector.read(host)
  expect(found[0]).toEqual({ name: 'processes.ps_count.processes', unit: 'count', value: 5_000 })
  expect(collector.minIntervalMs).toBe(500_000)
})
