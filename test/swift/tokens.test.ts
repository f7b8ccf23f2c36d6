import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { endCachedTokens } from '@roost/node-agent/dist/swift/keystone/end-cached-tokens.js'
import { endTokens } from '@roost/node-agent/dist/swift/users/tokens.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../support/programs/free-port.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'

const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const total = 100_000

describe.skipIf(!isSwiftEnabled)('tokens in a real memcached (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let server: ChildProcess
  let port: number
  beforeAll(async () => {
    port = await freePort()
    server = spawn('memcached', ['-u', 'nobody', '-l', '127.0.0.1', '-p', String(port), '-m', '256'])
    await vi.waitFor(() => say('version\r\n', /VERSION/), waitTimeoutMs)
  })
  afterAll(() => server.kill('SIGKILL'))

  /** Sends text on a connection of its own and returns the answer once it matches. */
  async function say(text: string, complete: RegExp): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port })
    try {
      await once(socket, 'connect')
      socket.write(text)
      let answer = ''
      for await (const chunk of socket) if (complete.test((answer += String(chunk)))) break
      return answer
    } finally {
      socket.destroy()
    }
  }
  const itemsLeft = async () => Number(/curr_items (\d+)/.exec(await say('stats\r\n', /END/))?.[1])

  it(`are ended among ${total} of them, and no other is`, { timeout: 3 * waitTimeoutMs }, async () => {
    const lines: string[] = []
    for (let i = 0; i < total; i++) {
      const name = `user${i % 100}`
      const value = JSON.stringify([1e10 + 0.5, `${name},${name}:${name},.admin,AUTH_${name}`])
      lines.push(`set ${md5(`AUTH_/token/AUTH_tk${i}`)} 2 3600 ${value.length} noreply\r\n${value}\r\n`)
    }
    await say(`${lines.join('')}version\r\n`, /VERSION/)
    expect(await itemsLeft()).toBe(total)
    const before = process.memoryUsage().rss
    const servers = { memcached: [{ host: '127.0.0.1', port }], prefix: 'AUTH_' }
    expect(await endTokens(servers, ['user7:user7', 'user42:user42'])).toEqual({ ended: total / 50, notReached: [] })
    expect(await itemsLeft()).toBe(total - total / 50)
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
    expect(await endTokens(servers, ['user7:user7', 'user42:user42'])).toEqual({ ended: 0, notReached: [] })
  })

  it('of Keystone are removed by the ids of their users, as Swift and keystonemiddleware store them', async () => {
    const [bob, amy] = ['b'.repeat(32), 'a'.repeat(32)]
    const tokenOf = (id: string) => JSON.stringify([{ token: { user: { id, name: 'x' } } }, '2026-11-23T00:00:00Z'])
    const items = [
      // Swift's client stores what it gets as JSON, which is a text here.
      [md5('tokens/1'), JSON.stringify(tokenOf(bob))],
      ['tokens/2', tokenOf(bob)],
      ['tokens/3', tokenOf(amy)],
      [md5('s3secret/4'), JSON.stringify([{ 'X-User-Id': bob }, { id: 'project' }, 'secret'])],
      [md5('container/5'), JSON.stringify({ read_acl: `${bob}x` })],
    ] as const
    await say('flush_all\r\n', /OK/)
    const lines = items.map(([key, value]) => `set ${key} 2 3600 ${value.length} noreply\r\n${value}\r\n`)
    await say(`${lines.join('')}version\r\n`, /VERSION/)
    const here = { memcached: [{ host: '127.0.0.1', port }], hidden: null, seconds: 300 }
    const away = { memcached: [{ host: '127.0.0.1', port: 1 }], hidden: null, seconds: 60 }
    const pauses: number[] = []
    const pause = async () => void pauses.push(await itemsLeft())
    expect(await endCachedTokens([here], [bob], pause)).toEqual({ ended: 3, remain_s: 0, notes: [] })
    expect(pauses).toEqual([2])
    expect(await endCachedTokens([here, away], [amy], pause)).toEqual({
      ended: 1,
      remain_s: 60,
      notes: [expect.stringContaining('memcached 127.0.0.1:1 was not reached (connect ECONNREFUSED')],
    })
    expect(await itemsLeft()).toBe(1)
    expect(await endCachedTokens([], [amy], pause)).toEqual({ ended: 0, remain_s: 0, notes: [] })
  })
})
