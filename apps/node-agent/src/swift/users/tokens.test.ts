import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { inForceFile } from './in-force.js'
import { endPendingTokens, endTokens, endTokensOf } from './tokens.js'

const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** A server with these values by key, and the commands of the agent. */
const servers: Server[] = []
async function startMemcached(
  values: Map<string, string>,
  more: { byte?: number; busy?: number; missed?: string } = {},
) {
  let busy = more.busy ?? 0
  let missed = more.missed
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const line of String(chunk).split('\r\n').filter(Boolean)) {
        const isList = line.startsWith('lru')
        const isBusy = isList && busy-- > 0
        const seen = isList ? new Map([...values].filter(([key]) => key !== missed)) : values
        if (isList) missed = undefined
        const answer = isBusy ? 'BUSY currently processing crawler request\r\n' : answerTo(line, seen)
        const byte = more.byte ?? answer.length
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
  if (verb === 'delete') return values.delete(keys[0] ?? '') ? 'DELETED\r\n' : 'NOT_FOUND\r\n'
  if (verb === 'lru_crawler') {
    const items = [...values].map(([key, { length }]) => `key=${key} exp=1 la=1 cas=1 fetch=no cls=1 size=${length}\n`)
    return `${items.join('')}END\r\n`
  }
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
  const value = (login: string) => JSON.stringify([1.5, `${login.split(':')[0]},${login},AUTH_${login.split(':')[0]}`])

  it.each([[1_000_000], [3]])(
    'are ended on every server, also those that are not in the entry of a user (%d bytes at a time)',
    async (byte) => {
      const kept: [string, string][] = [
        [user('dora:dora'), '"AUTH_tk3"'],
        [token('AUTH_tk3'), value('dora:dora')],
        [token('of another kind'), '{"bob":"bob:bob"}'],
        [token('broken'), '[1, "bob,bob:bob'],
        [token('a group of that name'), '[1, "dora,dora:dora,bob:bob"]'],
        ['of/another/program', 'x,bob:bob\r\nEND\r\n'],
        [token('large'), `[1, "bob,bob:bob,${'x'.repeat(5_000)}"]`],
      ]
      const one = new Map([[user('bob:bob'), '"AUTH_tk9"'], ...kept])
      for (let i = 0; i < 250; i++) one.set(token(`AUTH_tk_old${i}`), value('bob:bob'))
      const two = new Map([
        [token('AUTH_tk1'), value('bob:bob')],
        [user('carl:carl'), '"AUTH_tk2"'],
        [token('AUTH_tk2'), value('carl:carl')],
      ])
      const memcached = [await startMemcached(one, { byte }), await startMemcached(two, { byte })]
      const logins = ['bob:bob', 'carl:carl', ...Array.from({ length: 250 }, (_, i) => `u${i}:u${i}`)]
      expect(await endTokens({ memcached, prefix: 'AUTH_' }, logins)).toEqual({ ended: 252, notReached: [] })
      expect([...one]).toEqual(kept)
      expect([...two]).toEqual([])
    },
  )

  it('are ended although another agent reads the list at that moment', async () => {
    const values = new Map([[token('AUTH_tk1'), value('bob:bob')]])
    const memcached = [await startMemcached(values, { busy: 2 })]
    expect(await endTokens({ memcached, prefix: 'AUTH_' }, ['bob:bob'])).toEqual({ ended: 1, notReached: [] })
  })

  it('are ended although the first list misses one', async () => {
    const values = new Map([1, 2, 3].map((i) => [token(`AUTH_tk${i}`), value('bob:bob')]))
    const memcached = [await startMemcached(values, { missed: token('AUTH_tk2') })]
    expect(await endTokens({ memcached, prefix: 'AUTH_' }, ['bob:bob'])).toEqual({ ended: 3, notReached: [] })
    expect(values.size).toBe(0)
  })

  it('on an unavailable server are reported; those on the others are ended', async () => {
    const values = new Map([[token('AUTH_tk1'), value('bob:bob')]])
    // No program gets this port by chance.
    const memcached = [{ host: '127.0.0.1', port: 1 }, await startMemcached(values)]
    const { ended, notReached } = await endTokens({ memcached, prefix: 'AUTH_' }, ['bob:bob'])
    expect(ended).toBe(1)
    expect(notReached).toEqual([
      'Not reached: memcached 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1). Tokens of bob:bob may remain valid there until they expire.',
    ])
  })

  it('are not searched without logins', async () => {
    const memcached = [{ host: '127.0.0.1', port: 1 }]
    expect(await endTokens({ memcached, prefix: 'AUTH_' }, [])).toEqual({ ended: 0, notReached: [] })
  })

  it('are ended again when the control plane asks, only for the deployed generation', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-tokens-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    const values = new Map([
      [token('AUTH_tk1'), value('bob:bob')],
      [token('AUTH_tk2'), value('carl:carl')],
    ])
    const settings = { memcached: [await startMemcached(values)], prefix: 'AUTH_' } as never
    const kept = inForceFile(dir, 'node')
    await kept.write({ generation: 7, users: [], ended: ['bob:bob'] })
    await expect(endTokensOf(6, kept, () => settings)).rejects.toThrow('Generation 6 is not in force')
    expect(await endTokensOf(7, kept, () => settings)).toEqual({ ended: 1, notReached: [] })
    expect([...values.keys()]).toEqual([token('AUTH_tk2')])
  })

  it('that a server kept while it was unavailable are ended later, once', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-tokens-'))
    onTestFinished(() => rm(dir, { recursive: true }))
    const values = new Map([[token('AUTH_tk1'), value('bob:bob')]])
    const away = { memcached: [{ host: '127.0.0.1', port: 1 }], prefix: 'AUTH_' } as never
    const back = { memcached: [await startMemcached(values)], prefix: 'AUTH_' } as never
    const kept = inForceFile(dir, 'node')
    await kept.write({ generation: 7, users: [], ended: ['bob:bob'] })
    expect(await endPendingTokens(kept, () => back)).toBeNull()
    expect((await endTokensOf(7, kept, () => away)).notReached).toHaveLength(1)
    expect(await endPendingTokens(kept, () => away)).toMatchObject({
      generation: 7,
      ended: 0,
      notReached: [expect.any(String)],
    })
    expect(await endPendingTokens(kept, () => back)).toEqual({
      generation: 7,
      logins: ['bob:bob'],
      ended: 1,
      notReached: [],
    })
    expect(await endPendingTokens(kept, () => back)).toBeNull()
  })
})
