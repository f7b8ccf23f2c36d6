import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { StorageLogin } from '@roost/api-types/agent'

/** Talks to Swift with the login of mounts. Rejects with the reason when Swift does not answer. */
export interface StorageClient {
  open(login: StorageLogin): Promise<StorageAccount>
}

export interface StorageAccount {
  readonly url: string
  /** Sends HEAD for the account, or for a container in it. */
  head(container?: string): Promise<StorageHead>
}

/** Adds requests for objects. */
export interface ObjectClient extends StorageClient {
  /** `ending` aborts every request to the account. */
  open(login: StorageLogin, ending?: AbortSignal): Promise<StorageAccount & StorageObjects>
}

export interface StorageObjects {
  /** Describes an object; undefined when it does not exist. Rejects when Swift does not say. */
  headObject(container: string, name: string): Promise<StoredObject | undefined>
  /** Removes an object. Rejects when it may still exist. */
  removeObject(container: string, name: string): Promise<void>
}

export interface StoredObject {
  readonly bytes: number
  readonly md5: string
  /** On Swift's clock. */
  readonly writtenAtSeconds: number
  /** True when its content is in other objects. */
  readonly isSegmented: boolean
}

export interface StorageHead {
  readonly status: number
  /** Undefined when the answer does not count them. */
  readonly objects: number | undefined
}

/** The deadline of each request: otherwise a silent host blocks the check for minutes. */
const answerMs = 5_000
const notFound = 404

/** Trusts the authorities of this machine, as rclone does; Node has a list of its own. */
const trustFiles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem']

export function createStorageClient(deadlineMs = answerMs): ObjectClient {
  const ca = readTrust()
  return {
    async open({ auth_url: authUrl, user, key }, ending) {
      const ask = (method: string, url: string, headers: Readonly<Record<string, string>>) => {
        const deadline = AbortSignal.timeout(deadlineMs)
        const signal = ending === undefined ? deadline : AbortSignal.any([deadline, ending])
        return send(method, url, { headers, ca, signal })
      }
      const answer = await ask('GET', authUrl, { 'x-auth-user': user, 'x-auth-key': key })
      const { 'x-auth-token': token, 'x-storage-url': url } = answer.headers
      if (typeof token !== 'string' || typeof url !== 'string')
        throw new Error(`${authUrl} answered the login of ${user} with ${answer.statusCode}`)
      return {
        url,
        async head(container) {
          const path = container === undefined ? url : `${url}/${encodeURIComponent(container)}`
          const { statusCode: status = 0, headers } = await ask('HEAD', path, { 'x-auth-token': token })
          const count = headers['x-container-object-count']
          return { status, objects: typeof count === 'string' ? Number(count) : undefined }
        },
        async headObject(container, name) {
          const { statusCode: status, headers } = await ask('HEAD', objectUrl(url, container, name), {
            'x-auth-token': token,
          })
          if (status === notFound) return undefined
          if (status !== 200) throw new Error(`Swift answered with ${status}.`)
          return storedObject(headers)
        },
        async removeObject(container, name) {
          const { statusCode: status = 0 } = await ask('DELETE', objectUrl(url, container, name), {
            'x-auth-token': token,
          })
          if (status !== notFound && (status < 200 || status > 299)) throw new Error(`Swift answered with ${status}.`)
        },
      }
    },
  }
}

function objectUrl(account: string, container: string, name: string): string {
  return `${account}/${[container, ...name.split('/')].map(encodeURIComponent).join('/')}`
}

function storedObject(headers: IncomingHttpHeaders): StoredObject {
  const { etag = '', 'content-length': bytes, 'x-timestamp': written } = headers
  return {
    bytes: Number(bytes),
    md5: etag.replaceAll('"', ''),
    writtenAtSeconds: Number(written),
    isSegmented: 'x-object-manifest' in headers || 'x-static-large-object' in headers,
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
