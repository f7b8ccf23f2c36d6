import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { beginReplacement, refreshIdentity } from './authority.js'
import type { AuthorityOptions, Identity } from './authority.js'
import { endsOf } from './certificates.js'

const dayMs = 86_400_000
let dataDir: string
let now = 0
let everyNodeKnows = false

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost-tls-'))
  now = Date.now()
  everyNodeKnows = false
})
afterEach(() => rm(dataDir, { recursive: true }))

function refresh(more: Partial<AuthorityOptions> = {}): Promise<Identity> {
  const names = ['localhost', '127.0.0.1', '::1']
  return refreshIdentity({ dataDir, names, now: () => now, everyNodeKnows: async () => everyNodeKnows, ...more })
}

/** The status that a client gets which trusts only these authorities, or the code of its refusal. */
async function call(identity: Identity, ca: readonly string[]): Promise<number | string | undefined> {
  const server = createServer(identity, (_request, response) => response.writeHead(204).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await new Promise((resolve) => {
      const { port } = server.address() as AddressInfo
      request({ host: '127.0.0.1', port, ca: [...ca], agent: false }, (response) => resolve(response.statusCode))
        .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
        .end()
    })
  } finally {
    server.close()
  }
}

describe('the authority of our own', () => {
  it('serves a certificate that clients of its ca.pem accept, and others refuse', async () => {
    const identity = await refresh()
    expect(await call(identity, [await readFile(join(dataDir, 'ca.pem'), 'utf8')])).toBe(204)
    expect(await call(identity, [])).toBe('SELF_SIGNED_CERT_IN_CHAIN')
  })

  it('keeps its files to itself, but for ca.pem', async () => {
    await refresh()
    expect((await stat(join(dataDir, 'tls/ca.pem'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'tls/server.pem'))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(dataDir, 'ca.pem'), 'utf8')).not.toContain('PRIVATE')
  })

  it('keeps its certificate until 30 days before its end, then makes another by itself', async () => {
    const first = await refresh()
    now += 300 * dayMs
    expect((await refresh()).cert).toBe(first.cert)
    now += 70 * dayMs
    const second = await refresh()
    expect(second.cert).not.toBe(first.cert)
    expect(second.trusted).toEqual(first.trusted)
  })

  it('keeps the key of the server when its certificate is renewed, which lines for new nodes pin', async () => {
    const first = await refresh()
    now += 370 * dayMs
    const second = await refresh({ names: ['localhost', 'roost.example'] })
    expect(second.cert).not.toBe(first.cert)
    expect(spki(second.cert)).toBe(spki(first.cert))
    everyNodeKnows = true
    await beginReplacement(dataDir, now)
    expect(spki((await refresh()).cert)).not.toBe(spki(first.cert))
  })

  it('knows when its certificate and each of its authorities end', async () => {
    const { cert, trusted } = await refresh()
    const [server, ca, ...others] = endsOf(cert, trusted)
    expect([server?.name, ca?.name.startsWith('Roost CA '), others]).toEqual(['server', true, []])
    expect(server?.endsMs).toBe(Date.parse(new X509Certificate(cert).validTo))
    expect(Math.round(((ca?.endsMs ?? 0) - now) / dayMs)).toBe(3650)
    await beginReplacement(dataDir, now)
    const both = await refresh()
    expect(endsOf(both.cert, both.trusted)).toHaveLength(3)
  })

  it('makes another certificate when a name is missing', async () => {
    await refresh()
    const { cert } = await refresh({ names: ['localhost', 'roost.example'] })
    expect(new X509Certificate(cert).checkHost('roost.example')).toBe('roost.example')
  })

  it('keeps the public key of the authority when that is renewed', async () => {
    const [before] = (await refresh()).trusted
    now += 8 * 365 * dayMs
    const [after] = (await refresh()).trusted
    expect(after).not.toBe(before)
    expect(spki(after)).toBe(spki(before))
  })

  it('serves old and new authority together until every node has learned the new one', async () => {
    const before = await refresh()
    await beginReplacement(dataDir, now)
    const during = await refresh()
    expect(during.trusted).toHaveLength(2)
    expect(await call(during, before.trusted)).toBe(204)
    expect(await call(during, during.trusted)).toBe(204)
    everyNodeKnows = true
    const after = await refresh()
    expect(after.trusted).toEqual([during.trusted[1]])
    expect(await call(after, during.trusted)).toBe(204)
    expect(await call(after, before.trusted)).toBe('SELF_SIGNED_CERT_IN_CHAIN')
  })
})

function spki(pem: string | undefined): string {
  return new X509Certificate(pem ?? '').publicKey.export({ type: 'spki', format: 'pem' }).toString()
}
