import { createSocket } from 'node:dgram'
import { TestClock } from '@roost/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createNodeProblems } from '../../machine/problems.js'
import { testHost, valuesByName } from '../testing/test-host.js'
import { createStatsd } from './statsd.js'
import type { Statsd } from './statsd.js'

const minuteMs = 60_000
const waitMs = 20_000
const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

/** A proxy that sends its statistics to an agent that reads every 10 s. */
async function proxy() {
  const clock = new TestClock(1_000_000 * minuteMs)
  const problems = createNodeProblems()
  const options = { isWanted: () => true, address: '127.0.0.1', port: 0, maxNames: 100, clock, problems }
  const statsd = createStatsd(options)
  const socket = createSocket('udp4')
  opened.push(statsd, socket)
  await read(statsd)
  let sent = 0
  /** Sends as many answers of each name. */
  const answers = async (counts: Readonly<Record<string, number>>) => {
    const lines = Object.entries(counts).flatMap(([name, count]) =>
      sampled(count).map((part) => `${name}.timing:5|ms${part}`),
    )
    sent += 1
    socket.send(lines.join('\n'), statsd.port, '127.0.0.1')
    await vi.waitFor(async () => expect((await read(statsd))['roost.statsd.datagrams']).toBe(sent), waitMs)
  }
  const minutes = async (count: number) => {
    for (let second = 0; second < count * 60; second += 10) {
      await clock.pass(10_000)
      await read(statsd)
    }
  }
  const found = () => problems.list().map(({ code, subject, value }) => ({ code, subject, value }))
  return { answers, minutes, problems: found }
}

/** An event that was sampled at 0.01 counts for a hundred. */
function sampled(count: number): readonly string[] {
  const times = (part: string, number: number) => Array.from({ length: number }, () => part)
  const hundreds = Math.floor(count / 100)
  return [...times('|@0.01', hundreds), ...times('|@0.1', Math.floor((count % 100) / 10)), ...times('', count % 10)]
}

const read = (statsd: Statsd) => valuesByName(statsd, testHost({}))

const good = 'proxy-server.object.GET.200'
const bad = 'proxy-server.object.PUT.503'

describe('the answers of a proxy', () => {
  it('are a problem above 1 % of those of five minutes, which ends below 0.9 %, and not in between', async () => {
    const { answers, minutes, problems } = await proxy()
    await answers({ [good]: 990, [bad]: 10 })
    await minutes(1)
    expect(problems()).toEqual([])
    await answers({ [bad]: 1 })
    await minutes(1)
    expect(problems()).toEqual([{ code: 'proxy_errors', subject: 'proxy-server', value: 1.1 }])
    await answers({ [good]: 160 })
    await minutes(1)
    expect(problems()).toEqual([{ code: 'proxy_errors', subject: 'proxy-server', value: 0.95 }])
    await answers({ [good]: 70 })
    await minutes(1)
    expect(problems()).toEqual([])
  })

  it('count for five complete minutes, and only where there are more than 100', async () => {
    const { answers, minutes, problems } = await proxy()
    await answers({ [good]: 50, [bad]: 50 })
    await minutes(1)
    expect(problems()).toEqual([])
    await answers({ 'proxy-server.account.HEAD.500': 1 })
    await minutes(1)
    expect(problems()).toMatchObject([{ value: 50.5 }])
    await minutes(3)
    expect(problems()).toHaveLength(1)
    await minutes(1)
    expect(problems()).toEqual([])
  })

  it('are those of clients, each once: not of policies, of first bytes, of other servers, nor errors of clients', async () => {
    const { answers, minutes, problems } = await proxy()
    await answers({
      [good]: 1_000,
      'proxy-server.object.policy.0.GET.503': 1_000,
      'proxy-server.object.GET.503.first-byte': 1_000,
      'object-server.GET.507': 1_000,
      'proxy-server.object.GET.404': 1_000,
      'proxy-server.object.PUT.499': 1_000,
    })
    await minutes(1)
    expect(problems()).toEqual([])
  })
})
