import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { StorageLogin } from '@roost/api-types/agent'

/** Asks Swift once, with the login and for its account. Resolves to undefined when it answers, else to the reason; never rejects. */
export type StorageCheck = (login: StorageLogin) => Promise<string | undefined>

/** The deadline of each of the two requests: without it a silent host holds the check for minutes. */
const answerMs = 5_000

/** As rclone does, it trusts what this machine trusts: Node brings a list of its own. */
const trustFiles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem']

export function createStorageCheck(deadlineMs = answerMs): StorageCheck {
  const ca = readTrust()
  const ask = (method: string, url: string, headers: Readonly<Record<string, string>>) =>
    send(method, url, { headers, ca, signal: AbortSignal.timeout(deadlineMs) })
  return async ({ auth_url: authUrl, user, key }) => {
    try {
      const { statusCode, headers } = await ask('GET', authUrl, { 'x-auth-user': user, 'x-auth-key': key })
      const token = headers['x-auth-token']
      const account = headers['x-storage-url']
      if (typeof token !== 'string' || typeof account !== 'string')
        return `${authUrl} answered the login of ${user} with ${statusCode}`
      const answer = await ask('HEAD', account, { 'x-auth-token': token })
      return isSuccess(answer) ? undefined : `${account} answered with ${answer.statusCode}`
    } catch (error) {
      return reasonOf(error)
    }
  }
}

interface SendOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

function send(method: string, url: string, { ca, ...options }: SendOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const answered = (answer: IncomingMessage) => {
      answer.once('error', () => {}).resume()
      resolve(answer)
    }
    const sent = url.startsWith('https:')
      ? requestTls(url, { ...options, method, ...(ca === undefined ? {} : { ca }) }, answered)
      : requestPlain(url, { ...options, method }, answered)
    sent.once('error', reject)
    sent.end()
  })
}

function readTrust(): string | undefined {
  for (const file of trustFiles) {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      // Another distribution keeps it elsewhere.
    }
  }
  return undefined
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no answer in time' : error.message
}
