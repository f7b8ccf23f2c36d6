import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { makeCertificates } from '../support/keystone/certificates.js'

let api: TestApi
let server: ReceivingServer
beforeAll(async () => {
  ;[api, server] = await Promise.all([startApi({ ROOST_ALERT_NETWORKS: '127.0.0.1' }), startReceivingServer()])
})
afterAll(async () => {
  await server.stop()
  await api.stop()
})
beforeEach(async () => {
  await api.database.prisma.alertReceiver.deleteMany()
  server.received.length = 0
  server.answer = { status: 200 }
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  api.call(`/api/v1/${path}`, { method: 'POST', body, headers })
const create = (kind: string, settings: object, more: object = {}) =>
  post('alert_receivers/', { name: 'ops', kind, settings, ...more })
const mail = { host: 'mail.example', from: 'roost@example.com', to: ['ops@example.com'] }
const test = async (settings: object, kind = 'webhook') => {
  const { body } = await create(kind, settings, { name: `r${Math.random()}` })
  return (await post(`alert_receivers/${body.id}/test/`, {})).body
}

/** The certificate of a server, and its authority. */
async function certificatesIn(folder: string) {
  const { ca, certificate, key } = await makeCertificates(folder)
  return { ca, cert: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') }
}

describe('settings', () => {
  it('are in no answer, list, audit event or column in plain text', async () => {
    const settings = { url: 'https://hooks.example/secret-path', authorization: 'Bearer secret-token' }
    const { status, body, text } = await create('webhook', settings, {})
    expect([status, body]).toEqual([201, expect.objectContaining({ kind: 'webhook', target: 'https://hooks.example' })])
    const path = `/api/v1/alert_receivers/${body.id}/`
    const { text: changed } = await api.patch(path, {
      settings: { ...settings, url: 'https://other.example/secret-path' },
    })
    const listed = (await api.get('/api/v1/alert_receivers/')).text
    const audited = (await api.get('/api/v1/audit_events/?resource=alert_receivers')).text
    const [row] = await api.database.prisma.alertReceiver.findMany()
    const stored = Buffer.from(row?.settings ?? []).toString('latin1')
    for (const each of [text, changed, listed, audited, stored, JSON.stringify(row)])
      expect(each).not.toMatch(/secret-/)
    expect(audited).toContain('"settings":[null,"***"]')
    expect(listed).toContain('https://other.example')
  })

  it('that are new move the ETag', async () => {
    const { body } = await create('webhook', { url: 'https://hooks.example/1' })
    const path = `/api/v1/alert_receivers/${body.id}/`
    const etag = String((await api.get(path)).headers['etag'])
    expect((await api.patch(path, { settings: { url: 'https://hooks.example/2' } }, { 'if-match': etag })).status).toBe(
      202,
    )
    expect((await api.patch(path, { settings: { url: 'https://hooks.example/3' } }, { 'if-match': etag })).status).toBe(
      412,
    )
  })

  it('move settings_changed_at when they differ from those of before, and only then', async () => {
    const settings = { url: 'https://hooks.example/1', authorization: 'Bearer one' }
    const { body: made } = await create('webhook', settings)
    const path = `/api/v1/alert_receivers/${made.id}/`
    const change = async (body: object) => (await api.patch(path, body)).body.settings_changed_at as string
    const at = made.settings_changed_at as string
    expect(Date.parse(at)).toBeGreaterThan(Date.now() - 60_000)
    expect(await change({ settings: { authorization: 'Bearer one', url: 'https://hooks.example/1' } })).toBe(at)
    expect(await change({ enabled: false })).toBe(at)
    const later = await change({ settings: { ...settings, authorization: 'Bearer two' } })
    expect(Date.parse(later)).toBeGreaterThan(Date.parse(at))
    // Settings of before the column have no time, and get one with the first that differ.
    await api.database.prisma.alertReceiver.updateMany({ data: { settingsChangedAt: null } })
    expect(await change({ settings: { ...settings, authorization: 'Bearer two' } })).toBeNull()
    expect(await change({ settings })).toEqual(expect.any(String))
  })

  it('that cannot be decrypted any more are replaced', async () => {
    const { body } = await create('webhook', { url: 'https://hooks.example/1' })
    await api.database.prisma.alertReceiver.updateMany({ data: { settings: Buffer.from('of another key') } })
    const { status, body: changed } = await api.patch(`/api/v1/alert_receivers/${body.id}/`, {
      settings: { url: 'https://other.example/' },
    })
    expect([status, changed.target]).toEqual([202, 'https://other.example'])
  })

  it.each([
    ['webhook', {}, 'url: This field is required.'],
    [
      'webhook',
      { url: 'ftp://a.example' },
      'url: Use a URL such as https://alerts.example/roost, without user, password and fragment.',
    ],
    [
      'webhook',
      { url: 'https://me:secret@a.example' },
      'url: Use a URL such as https://alerts.example/roost, without user, password and fragment.',
    ],
    [
      'webhook',
      { url: 'https://a.example', authorization: 'a\r\nb' },
      'authorization: Use printable ASCII characters, without a blank at either end.',
    ],
    ['webhook', { url: 'https://a.example', urls: [] }, 'Unrecognized key: "urls"'],
    ['alertmanager', { urls: [] }, 'urls: Ensure this list has at least 1 elements.'],
    ['email', { ...mail, to: ['unknown'] }, 'to.0: Use an address such as storage@example.com.'],
    ['email', { ...mail, user: 'me' }, 'password: Set user and password together.'],
    [
      'email',
      { ...mail, user: 'me', password: 'x', security: 'none' },
      'security: A login needs starttls or tls: the password would be sent in plain text.',
    ],
  ])('of a %s that are faulty are named: %j', async (kind, settings, fault) => {
    const { status, body } = await create(kind, settings)
    expect([status, body]).toEqual([400, { alert_receivers: { settings: [fault] } }])
  })

  it('of the kind of the receiver are expected in a change', async () => {
    const { body } = await create('email', mail)
    const answer = await api.patch(`/api/v1/alert_receivers/${body.id}/`, { settings: { url: 'https://a.example' } })
    expect(answer.status).toBe(400)
    expect(answer.body.alert_receivers.settings).toContain('host: This field is required.')
  })
})

describe('a receiver', () => {
  it('has a name of its own', async () => {
    await create('webhook', { url: 'https://hooks.example/' })
    const { status, body } = await create('email', mail)
    expect([status, body]).toEqual([400, { alert_receivers: { name: ["A receiver 'ops' already exists."] } }])
  })

  it('is tested now and once, which the audit has', async () => {
    const { body } = await create('webhook', { url: `${server.url}/hook`, authorization: 'Bearer t' })
    const path = `alert_receivers/${body.id}/test/`
    const key = { 'idempotency-key': 'one' }
    for (let i = 0; i < 2; i++) expect((await post(path, {}, key)).body).toEqual({ delivered: true, error: '' })
    expect(server.received).toMatchObject([
      { headers: { authorization: 'Bearer t' }, body: { status: 'firing', groupLabels: { alertname: 'TEST' } } },
    ])
    expect((await post(`${path}?validate=1`, {})).body.delivered).toBe(false)
    expect(server.received).toHaveLength(1)
    const audit = await api.get('/api/v1/audit_events/?resource=alert_receivers&order_by=-id&limit=1')
    expect(audit.body.objects).toMatchObject([{ action: 'test', changes: { delivered: true, error: '' } }])
  })
})

describe('a server', () => {
  it.each([
    ['http://127.0.0.2:9/', '127.0.0.2', '127.0.0.2'],
    ['http://[::1]:9/', '[::1]', '[::1]'],
    ['http://[::ffff:10.1.2.3]/', '[::ffff:a01:203]', '[::ffff:a01:203]'],
    ['http://169.254.169.254/latest', '169.254.169.254', '169.254.169.254'],
    ['http://10.0.0.1/', '10.0.0.1', '10.0.0.1'],
    ['http://0x7f.2/', '127.0.0.2', '127.0.0.2'],
  ])('that is not of the internet is not called unless it is listed: %s', async (url, host) => {
    const { delivered, error } = await test({ url })
    expect([delivered, error]).toEqual([false, expect.stringContaining(`${host} is `)])
    expect(error).toContain('list it in ROOST_ALERT_NETWORKS')
  })

  it('is called by a name only at an address that is allowed', async () => {
    expect(await test({ url: server.url.replace('127.0.0.1', 'localhost') })).toEqual({ delivered: true, error: '' })
    expect(server.received[0]?.headers.host).toMatch(/^localhost:/)
  })

  it.each([301, 302, 307, 400, 404, 500])(
    'that answers %i has not accepted it, and no redirect is followed',
    async (status) => {
      server.answer = { status, headers: { location: `${server.url}/other` }, body: 'the\nreason' }
      const host = new URL(server.url).host
      expect(await test({ url: server.url })).toEqual({
        delivered: false,
        error: `${host} answered with status ${status}: the reason`,
      })
      expect(server.received.map(({ path }) => path)).toEqual(['/'])
    },
  )

  it('that answers with megabytes has accepted it, and they are not read', async () => {
    server.answer = { status: 200, body: 'x'.repeat(5_000_000) }
    expect(await test({ url: server.url })).toEqual({ delivered: true, error: '' })
  })

  it('that does not answer within ten seconds has not accepted it', async () => {
    server.answer = 'none'
    const host = new URL(server.url).host
    const late = sleep(60_000, 'later than a minute', { ref: false })
    const { error } = await Promise.race([test({ url: server.url }), late.then((error) => ({ error }))])
    expect(error).toBe(`${host} did not answer within 10 s.`)
  })

  it('is not trusted without its authority', async () => {
    const { ca, ...tls } = await certificatesIn(await mkdtemp(join(tmpdir(), 'roost-hook-')))
    const secure = await startReceivingServer({ tls })
    expect(await test({ url: secure.url })).toMatchObject({ delivered: false })
    expect(await test({ url: secure.url, ca })).toEqual({ delivered: true, error: '' })
    await secure.stop()
  })
})
