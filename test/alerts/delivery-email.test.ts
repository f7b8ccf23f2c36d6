import { mkdtemp, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { SMTPServer } from 'smtp-server'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useAlertLab } from '../support/alerts/alert-lab.js'
import { makeCertificates } from '../support/keystone/certificates.js'

interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly user: string | undefined
  readonly isSecure: boolean
  readonly text: string
}

const lab = useAlertLab()
const minuteMs = 60_000
let mails: Mail[]
let server: SMTPServer
let port: number
let tls: { readonly ca: string; readonly key: string; readonly cert: string }
beforeAll(async () => {
  const { ca, certificate, key } = await makeCertificates(await mkdtemp(join(tmpdir(), 'roost-mail-')))
  tls = { ca, key: await readFile(key, 'utf8'), cert: await readFile(certificate, 'utf8') }
})
afterEach(() => new Promise<void>((resolve) => server.close(resolve)))

/** Reads a mail, and answers the error that `accept` returns. */
function readMail(stream: Readable, done: (error: Error | null) => void, accept: (text: string) => Error | null): void {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  // Long lines are broken by =.
  stream.on('end', () => done(accept(Buffer.concat(chunks).toString('utf8').replaceAll('=\r\n', ''))))
}

/** A mail server with the login me, whose password is correct-horse. */
async function receive(options: SMTPServerOptions = {}): Promise<void> {
  mails = []
  server = new SMTPServer({
    key: tls.key,
    cert: tls.cert,
    authOptional: true,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'me' && password === 'correct-horse') done(null, { user: username })
      else done(new Error('wrong password'))
    },
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('unknown@') ? new Error('no such user') : null),
    onData: (stream, { envelope, user, secure }, done) =>
      readMail(stream, done, (text) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ from, to, user: user as string | undefined, isSecure: secure, text })
        return null
      }),
    ...options,
  })
  await new Promise<void>((resolve) => server.listen(port ?? 0, '127.0.0.1', resolve))
  ;({ port } = server.server.address() as AddressInfo)
}

const settings = (more: object = {}) => ({
  host: 'localhost',
  port,
  from: 'roost@example.com',
  to: ['ops@example.com', 'storage@example.com'],
  ca: tls.ca,
  ...more,
})
const login = { user: 'me', password: 'correct-horse' }
const test = async (more: object = {}) => {
  const id = await lab.addReceiver({ kind: 'email', settings: settings(more) })
  return (await lab.api.call(`/api/v1/alert_receivers/${id}/test/`, { method: 'POST', body: {} })).body
}

describe('an e-mail', () => {
  it('has the alerts of a code and a cluster, over STARTTLS with a login', async () => {
    await receive()
    await lab.addReceiver({ kind: 'email', settings: settings(login) })
    await lab.unmount(...Array.from({ length: 12 }, (_, i) => `d${i}`))
    await lab.pass(4 * minuteMs)
    const [mail] = mails
    expect(mails).toMatchObject([
      { from: 'roost@example.com', to: ['ops@example.com', 'storage@example.com'], user: 'me', isSecure: true },
    ])
    expect(mail?.text).toMatch(/^Subject: \[Roost\] east: DEVICE_UNMOUNTED, 12 firing\r$/m)
    expect(mail?.text.match(/^d\d+ of store-1: warning since 2026-11-22T/gm)).toHaveLength(10)
    expect(mail?.text).toContain('2 more of this code are not listed.')
    expect(mail?.text).toContain('is not mounted. Mount it, or remove it from the rings.')
    expect(mail?.text).toContain(`What it means and what to do: ${lab.publicUrl}/docs/alerts/DEVICE_UNMOUNTED`)
    await lab.mount()
    await lab.pass(10 * minuteMs)
    expect(mails[1]?.text).toMatch(/^Subject: \[Roost\] east: DEVICE_UNMOUNTED, 12 resolved\r$/m)
    expect(mails[1]?.text).not.toContain('Mount it')
  })

  it('has the same Message-ID in each attempt', async () => {
    await receive({
      onData: (stream, _session, done) =>
        readMail(stream, done, (text) => {
          mails.push({ from: '', to: [], user: undefined, isSecure: true, text })
          return mails.length === 1 ? new Error('try later') : null
        }),
    })
    await lab.addReceiver({ kind: 'email', settings: settings() })
    await lab.unmount('d5')
    await lab.pass(4 * minuteMs)
    await lab.wait(minuteMs)
    const ids = mails.map(({ text }) => /^Message-ID: (<\S+>)\r$/m.exec(text)?.[1])
    expect([ids.length, new Set(ids).size]).toEqual([2, 1])
    expect((await lab.api.get('/api/v1/alert_deliveries/')).body.objects).toMatchObject([
      { state: 'delivered', attempts: 2 },
    ])
  })

  it('is sent over TLS from the first byte where it is set', async () => {
    await receive({ secure: true })
    expect(await test({ ...login, security: 'tls' })).toEqual({ delivered: true, error: '' })
    expect(mails).toMatchObject([{ user: 'me', isSecure: true }])
  })

  it('is not sent in plain text by a server that has lost its TLS, unless it is set', async () => {
    await receive({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
    expect(await test()).toMatchObject({ delivered: false, error: expect.stringMatching(/STARTTLS/i) })
    expect(mails).toEqual([])
    expect(await test({ security: 'none' })).toEqual({ delivered: true, error: '' })
    expect(mails).toMatchObject([{ isSecure: false }])
  })

  it.each([
    ['a wrong password', { ...login, password: 'wrong' }, /wrong password/],
    ['an unknown authority', { ca: undefined }, /certificate/],
    ['a name without an address', { host: 'mail.invalid' }, /ENOTFOUND|EAI_AGAIN/],
    ['a recipient that is refused', { to: ['unknown@example.com'] }, /no such user/],
    [
      'one of the recipients that is refused',
      { to: ['ops@example.com', 'unknown@example.com'] },
      /not for unknown@example\.com/,
    ],
  ])('is reported with %s', async (_what, more, error) => {
    await receive()
    const result = await test(more)
    expect(result).toEqual({ delivered: false, error: expect.stringMatching(error) })
  })
})
