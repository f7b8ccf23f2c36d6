import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
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
})
