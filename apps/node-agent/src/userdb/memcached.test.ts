import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { checkMemcached, revokeTokens } from './memcached.js'

const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** A server with these values by key, which speaks as much of the protocol as is asked of it. */
const servers: Server[] = []
async function startMemcached(values: Map<string, string>, byte = 1_000_000) {
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      for (const line of String(chunk).split('\r\n').filter(Boolean)) {
        const answer = answerTo(line, values)
        for (let i = 0; i < answer.length; i += byte) socket.write(answer.slice(i, i + byte))
      }
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

function answerTo(line: string, values: Map<string, string>): string {
  const [verb, ...keys] = line.split(' ')
  if (verb === 'version') return 'VERSION 1.6.18\r\n'
  if (verb === 'delete') return values.delete(keys[0] ?? '') ? 'DELETED\r\n' : 'NOT_FOUND\r\n'
  const found = keys.filter((key) => values.has(key))
  const lines = found.map((key) => `VALUE ${key} 2 ${values.get(key)?.length}\r\n${values.get(key)}\r\n`)
  return `${lines.join('')}END\r\n`
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

describe('tokens in memcached', () => {
  const user = (login: string) => md5(`AUTH_/user/${login}`)
  const token = (name: string) => md5(`AUTH_/token/${name}`)

  it.each([[1_000_000], [3]])(
    'are revoked on every server, wherever user and token lie (%d bytes at a time)',
    async (bytes) => {
      const one = new Map([
        [user('bob:bob'), '"AUTH_tk1"'],
        [token('AUTH_tk2'), '[1, "carl"]'],
        [user('dora:dora'), '"AUTH_tk3"'],
        [token('AUTH_tk3'), '[1, "dora"]'],
      ])
      const two = new Map([
        [token('AUTH_tk1'), '[1, "bob"]'],
        [user('carl:carl'), '"AUTH_tk2"'],
        [user('eve:eve'), 'no token at all'],
      ])
      const memcached = [await startMemcached(one, bytes), await startMemcached(two, bytes)]
      const logins = ['bob:bob', 'carl:carl', 'eve:eve', ...Array.from({ length: 250 }, (_, i) => `u${i}:u${i}`)]
      expect(await revokeTokens({ memcached, prefix: 'AUTH_' }, logins)).toBe(2)
      expect([...one.keys(), ...two.keys()]).toEqual([user('dora:dora'), token('AUTH_tk3')])
    },
  )

  it('cannot be revoked where a server is gone, which is said with its address', async () => {
    // Nobody gets this port by chance.
    const server = { host: '127.0.0.1', port: 1 }
    const sentence = `Tokens cannot be revoked at the memcached server 127.0.0.1:${server.port}: connect ECONNREFUSED`
    await expect(checkMemcached([server])).rejects.toThrow(sentence)
    await expect(revokeTokens({ memcached: [server], prefix: 'AUTH_' }, ['bob:bob'])).rejects.toThrow(sentence)
  })

  it('are not looked for when nobody is to lose one', async () => {
    expect(await revokeTokens({ memcached: [{ host: '127.0.0.1', port: 1 }], prefix: 'AUTH_' }, [])).toBe(0)
  })
})
