import { once } from 'node:events'
import { Writable } from 'node:stream'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { pipelined } from '../support/http/raw-http.js'

const proxy = '127.0.0.7'
let api: TestApi
let cluster: number
beforeAll(async () => {
  api = await startApi({ ROOST_BEHIND_PROXY: proxy })
  cluster = await addCluster(api.database, 'connections')
})
afterAll(() => api.stop())

/** Creates a user, and returns the address that the audit has for it. */
async function auditedAddress(user: string, from: string): Promise<string> {
  const headers = { 'x-forwarded-for': '198.51.100.1, 192.0.2.9' }
  const body = { cluster, user, password: 'correct-horse-battery-staple' }
  const { status } = await api.call('/api/v1/users/', { method: 'POST', body, headers, from })
  expect(status).toBe(201)
  const events = await api.get('/api/v1/audit_events/?order_by=-id&limit=1')
  return events.body.objects[0].address
}

/** Returns the suite that TLS 1.2 agrees on, or the code of the failure. */
async function agreedSuite(ciphers: string): Promise<string> {
  const { hostname, port } = new URL(api.url)
  const socket = connect({ host: hostname, port: Number(port), ca: api.ca, maxVersion: 'TLSv1.2', ciphers })
  try {
    await once(socket, 'secureConnect')
    return socket.getCipher().name
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? ''
  } finally {
    socket.destroy()
  }
}

describe('a connection', () => {
  it('of plain HTTP to the port of HTTPS is answered 400, with what to do', async () => {
    const answer = await fetch(`${api.url.replace('https:', 'http:')}/healthz`)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'This port speaks HTTPS. Use https:// in the URL.' },
    ])
    expect((await api.get('/healthz')).status).toBe(200)
  })

  it('from a proxy that is named has the address that the proxy reports last', async () => {
    expect(await auditedAddress('by-proxy', proxy)).toBe('192.0.2.9')
  })

  it('from elsewhere cannot name another address', async () => {
    expect(await auditedAddress('by-a-forger', '127.0.0.1')).toBe('127.0.0.1')
  })

  it('with two Host headers is refused', async () => {
    const answer = await pipelined(api, 1, ['GET /api/v1/ HTTP/1.1', 'Host: evil.example'])
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('{"error":"The request has more than one Host header."}')
  })

  it('by TLS 1.2 has authenticated encryption', async () => {
    expect(await agreedSuite('ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256')).toContain('-GCM-')
    expect(await agreedSuite('ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:AES128-SHA')).toMatch(
      /ALERT_HANDSHAKE_FAILURE$/,
    )
  })
})

it('the start says that ROOST_BEHIND_PROXY=1 is this machine, also on loopback', async () => {
  const lines: { readonly level: number; readonly msg: string }[] = []
  const logOut = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as (typeof lines)[number])
      done()
    },
  })
  const local = await startApi({ ROOST_BEHIND_PROXY: '1', ROOST_LOG_LEVEL: 'info' }, logOut)
  await local.stop()
  const said = lines.filter(({ msg }) => msg.startsWith('ROOST_BEHIND_PROXY'))
  expect(said).toMatchObject([
    {
      level: 30,
      msg: 'ROOST_BEHIND_PROXY names this machine only: X-Forwarded-For from other addresses is ignored',
    },
  ])
})
