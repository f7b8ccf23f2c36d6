import { createSocket, type Socket } from 'node:dgram'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { createReadings } from '../engine/readings.js'
import { testHost, valuesByName } from '../testing/test-host.js'
import { createNodeProblems } from '../../machine/problems.js'
import { createStatsd, type Statsd } from './statsd.js'

/** A busy machine is slow. */
const waitMs = 20_000

const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

function open(options: Partial<Parameters<typeof createStatsd>[0]> = {}): Statsd {
  const statsd = createStatsd({
    isWanted: () => true,
    address: '127.0.0.1',
    port: 0,
    maxNames: 1_000,
    clock: systemClock,
    problems: createNodeProblems(),
    ...options,
  })
  opened.push(statsd)
  return statsd
}

const read = (statsd: Statsd) => valuesByName(statsd, testHost({}))

interface Sender {
  readonly socket: Socket
  readonly send: (...datagrams: readonly string[]) => Promise<void>
}

function sender(port: number | undefined, type: 'udp4' | 'udp6' = 'udp4'): Sender {
  const socket = createSocket(type)
  opened.push(socket)
  const address = type === 'udp4' ? '127.0.0.1' : '::1'
  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      socket.send(text, port, address, (error) => (error ? reject(error) : resolve()))
    })
  return { socket, send: async (...datagrams) => void (await Promise.all(datagrams.map(send))) }
}

describe('the listener', () => {
  it.each([
    ['127.0.0.1', 'udp4'],
    ['::1', 'udp6'],
  ] as const)('receives datagrams on %s', async (address, type) => {
    const statsd = open({ address })
    await read(statsd)
    await sender(statsd.port, type).send(
      'object-server.async_pendings:2|c',
      'object-server.GET.timing:7.5|ms',
      'rubbish',
    )
    await vi.waitFor(async () => {
      expect(await read(statsd)).toMatchObject({
        'roost.statsd.datagrams': 3,
        'roost.statsd.malformed': 1,
        'roost.statsd.names': 2,
      })
    }, waitMs)
  })

  it('opens its port when Swift is there', async () => {
    let hasSwift = false
    const statsd = open({ isWanted: () => hasSwift })
    expect(await read(statsd)).toEqual({})
    expect(statsd.port).toBeUndefined()
    hasSwift = true
    expect(await read(statsd)).toMatchObject({ 'roost.statsd.names': 0 })
    expect(statsd.port).toBeGreaterThan(0)
  })

  it('fails while another program has the port, and opens it when it is free', async () => {
    const other = open()
    await read(other)
    const port = other.port as number
    const statsd = open({ port })
    await expect(read(statsd)).rejects.toThrow(
      `Swift's statistics cannot be received at 127.0.0.1:${port}: another program uses this port. Stop it, or set another port.`,
    )
    other.close()
    await vi.waitFor(async () => expect(await read(statsd)).toMatchObject({ 'roost.statsd.names': 0 }), waitMs)
    expect(statsd.port).toBe(port)
  })

  it('frees its port when it is closed, also during the opening', async () => {
    const statsd = open()
    const opening = read(statsd)
    statsd.close()
    await opening
    expect(statsd.port).toBeUndefined()
    expect(await read(statsd)).toMatchObject({ 'roost.statsd.datagrams': 0 })
    expect(statsd.port).toBeUndefined()
  })

  it('is part of a reading, with dropped and malformed datagrams as rates', async () => {
    const statsd = open({ maxNames: 2 })
    const readings = createReadings({
      collectors: [statsd],
      host: testHost({}),
      openSlowReader: () => ({ read: async () => new Map(), close: () => {} }),
      clock: systemClock,
    })
    const valueOf = async (...names: readonly string[]) => {
      const { metrics, values } = await readings.read()
      return names.map((name) => values[metrics.findIndex((metric) => metric.name === name)])
    }
    expect(await valueOf('roost.statsd.dropped', 'roost.collector.statsd.success')).toEqual([0, 1])
    const { send } = sender(statsd.port)
    await send('a.b:4|c', 'c.d:1|c', 'e.f:1|c', 'g.h:1|c', 'bad')
    await sleep(200)
    for (let i = 0; i < 10; i++) await setImmediate() // waits until all received datagrams are read
    const [count, dropped, malformed] = await valueOf('a.b.count', 'roost.statsd.dropped', 'roost.statsd.malformed')
    expect(count).toBe(4)
    expect(dropped).toBeGreaterThan(0)
    expect((dropped ?? 0) / (malformed ?? 1)).toBeCloseTo(2)
  })
})

describe('a flood', () => {
  const isLong = process.env.ROOST_TEST_LONG !== undefined
  const datagrams = isLong ? 1_000_000 : 100_000
  const distinct = 100_000

  it(
    `of ${datagrams} datagrams with ${distinct} names costs bounded memory, is counted as dropped, and does not affect known names`,
    { timeout: 300_000 },
    async () => {
      setFlagsFromString('--expose-gc')
      const collectGarbage = runInNewContext('gc') as () => void
      const usedMb = (): number => {
        collectGarbage()
        const { heapUsed, external } = process.memoryUsage()
        return (heapUsed + external) / 1e6
      }
      const statsd = open()
      await read(statsd)
      const { send } = sender(statsd.port)
      await send('proxy-server.object.GET.200.timing:5|ms')
      await vi.waitFor(async () => expect(await read(statsd)).toMatchObject({ 'roost.statsd.names': 1 }), waitMs)
      const before = usedMb()
      const batch = 32
      for (let i = 0; i < datagrams; i += batch) {
        const names = Array.from({ length: batch }, (_, k) => (i + k) % distinct)
        await send(...names.map((one) => `f${one % 9}.AUTH_${one}.timing:1|ms`))
        await setImmediate() // lets the listener read
      }
      // The kernel's buffer is full at first, and drops datagrams.
      const known = async (): Promise<Readonly<Record<string, number>>> => {
        await send('proxy-server.object.GET.200.timing:6|ms')
        await sleep(50)
        const now = await read(statsd)
        expect(now['proxy-server.object.GET.200.timing.count']).toBe(1)
        return now
      }
      const after = await vi.waitFor(known, { timeout: 60_000 })
      expect(usedMb() - before).toBeLessThan(20)
      expect(after['roost.statsd.names']).toBeLessThanOrEqual(1_000)
      // The kernel dropped a part of the datagrams; the others were added or counted as dropped.
      const received = after['roost.statsd.datagrams'] ?? 0
      expect(received).toBeGreaterThan(datagrams / 2)
      expect(after['roost.statsd.dropped']).toBeGreaterThan(received * 0.9)
    },
  )
})
