import type { IncomingHttpHeaders } from 'node:http'
import type { StorageLogin } from '@roost/api-types/agent'
import { type Clock, systemClock } from '@roost/runtime'
import { loginName } from '../rclone/login-name.js'
import { isKeystoneLogin, readToken, type StorageToken, tokenRequest } from './keystone-token.js'
import { machineTrust, requestsWithin, type SendRequest } from './storage-request.js'

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
const unauthorized = 401
const notFound = 404

/** Keystone hashes a password for each token: a token is used for so long. */
const reuseMs = 300_000
/** A change of a password revokes tokens to the second, also one that is issued after it within this second. */
const revocationMs = 1_100
/** A token is not used in the last minute of its life. */
const marginMs = 60_000

/** `deadlineMs` is that of each request. */
export function createStorageClient(
  deadlineMs = answerMs,
  clock: Pick<Clock, 'monotonic' | 'after'> = systemClock,
): ObjectClient {
  const machineCa = machineTrust()
  const tokens = new Map<string, { readonly token: StorageToken; readonly until: number }>()

  async function tokenOf(login: StorageLogin, send: SendRequest): Promise<StorageToken> {
    if (!isKeystoneLogin(login)) return logIn(login, send)
    const now = clock.monotonic()
    for (const [key, { until }] of tokens) if (until <= now) tokens.delete(key)
    const key = JSON.stringify(login)
    const known = tokens.get(key)
    if (known !== undefined) return known.token
    const { url, body } = tokenRequest(login)
    const token = readToken(login, await send('POST', url, { body }))
    const lifetimeMs = token.lifetimeMs ?? 0
    tokens.set(key, { token, until: now + Math.min(reuseMs, lifetimeMs - marginMs) })
    return token
  }

  return {
    async open(login, ending) {
      const send = requestsWithin(deadlineMs, login.ca ?? machineCa, ending)
      const opened = await tokenOf(login, send)
      const request = async (method: string, path: string, { token }: StorageToken) => {
        const answer = await send(method, path, { headers: { 'x-auth-token': token } })
        // A token that was revoked is not used again.
        if (answer.status === unauthorized) tokens.delete(JSON.stringify(login))
        return answer
      }
      return accountOf(opened.url, async (method, path) => {
        const answer = await request(method, path, opened)
        if (answer.status !== unauthorized || !isKeystoneLogin(login)) return answer
        await new Promise<void>((resolve) => clock.after(revocationMs, resolve))
        return request(method, path, await tokenOf(login, send))
      })
    },
  }
}

/** Logs in by version 1. */
async function logIn(login: StorageLogin, send: SendRequest): Promise<StorageToken> {
  const { auth_url: authUrl, user, key } = login
  const { status, headers } = await send('GET', authUrl, { headers: { 'x-auth-user': user, 'x-auth-key': key } })
  const { 'x-auth-token': token, 'x-storage-url': url } = headers
  if (typeof token !== 'string' || typeof url !== 'string')
    throw new Error(`${authUrl} answered the login of ${loginName(login)} with ${status}`)
  return { url, token, lifetimeMs: undefined }
}

function accountOf(url: string, ask: SendRequest): StorageAccount & StorageObjects {
  return {
    url,
    async head(container) {
      const path = container === undefined ? url : `${url}/${encodeURIComponent(container)}`
      const { status, headers } = await ask('HEAD', path)
      const count = headers['x-container-object-count']
      return { status, objects: typeof count === 'string' ? Number(count) : undefined }
    },
    async headObject(container, name) {
      const { status, headers } = await ask('HEAD', objectUrl(url, container, name))
      if (status === notFound) return undefined
      if (status !== 200) throw new Error(`Swift answered with ${status}.`)
      return storedObject(headers)
    },
    async removeObject(container, name) {
      const { status } = await ask('DELETE', objectUrl(url, container, name))
      if (status !== notFound && (status < 200 || status > 299)) throw new Error(`Swift answered with ${status}.`)
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
