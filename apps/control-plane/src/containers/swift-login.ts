import type { StorageLogin } from '@roost/api-types/agent'
import { z } from 'zod'
import { sendHttp } from '../services/send-http.js'
import type { HttpAnswer } from '../services/send-http.js'
import { noAnswer, notSwift, refused } from './swift-error.js'

/** An account of Swift with a token for it. */
export interface SwiftSession {
  readonly accountUrl: string
  readonly token: string
}

export interface SwiftRequest {
  readonly method?: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** How long each request waits for its answer. */
const timeoutMs = 8000
/** More containers than are asked for, and the catalog of Keystone, have less. */
const keptBytes = 4 << 20

/** Sends a request to the storage or its Keystone. Throws `unavailable` where there is no answer. */
export async function sendToStorage({ ca }: StorageLogin, request: SwiftRequest): Promise<HttpAnswer> {
  const { method = 'GET', url, headers = {}, body } = request
  const signal = AbortSignal.timeout(timeoutMs)
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { accept: 'application/json', ...type, ...headers }
  try {
    return await sendHttp({ method, url, headers: all, ca, signal, keptBytes, ...content })
  } catch (error) {
    throw noAnswer(url, error)
  }
}

/** Logs in as gateways do. Throws `unavailable` with the reason. */
export function logIn(login: StorageLogin): Promise<SwiftSession> {
  if (login.auth_version === 3) return byVersion3(login)
  return login.auth_version === 2 ? byVersion2(login) : byVersion1(login)
}

async function byVersion1(login: StorageLogin): Promise<SwiftSession> {
  const { auth_url: url, user, key } = login
  const answer = await sendToStorage(login, { url, headers: { 'x-auth-user': user, 'x-auth-key': key } })
  if (answer.status < 200 || answer.status > 299) throw refused(url, answer.status)
  return sessionOf(url, answer.headers['x-storage-url'], answer.headers['x-auth-token'])
}

const Version2 = z.object({
  access: z.object({
    token: z.object({ id: z.string() }),
    serviceCatalog: z.array(z.object({ type: z.string(), endpoints: z.array(z.record(z.string(), z.unknown())) })),
  }),
})

async function byVersion2(login: StorageLogin): Promise<SwiftSession> {
  const { user: username, key: password, project: tenantName, region, interface: kind = 'public' } = login
  const url = `${login.auth_url.replace(/\/$/, '')}/tokens`
  const body = { auth: { tenantName, passwordCredentials: { username, password } } }
  const answer = await sendToStorage(login, { method: 'POST', url, body })
  if (answer.status !== 200) throw refused(url, answer.status)
  const { access } = parse(Version2, url, answer.text)
  const endpoints = access.serviceCatalog.flatMap(({ type, endpoints: each }) => (type === 'object-store' ? each : []))
  const found = endpoints.find((each) => region === undefined || each['region'] === region)
  return sessionOf(url, found?.[`${kind}URL`], access.token.id)
}

const Version3 = z.object({
  token: z.object({
    catalog: z
      .array(
        z.object({
          type: z.string(),
          endpoints: z.array(z.object({ interface: z.string(), region: z.string().nullish(), url: z.string() })),
        }),
      )
      .default([]),
  }),
})

async function byVersion3(login: StorageLogin): Promise<SwiftSession> {
  const { region, interface: kind = 'public' } = login
  const url = `${login.auth_url.replace(/\/$/, '')}/auth/tokens`
  const answer = await sendToStorage(login, { method: 'POST', url, body: { auth: version3Auth(login) } })
  if (answer.status !== 201) throw refused(url, answer.status)
  const { catalog } = parse(Version3, url, answer.text).token
  const endpoints = catalog.flatMap(({ type, endpoints: each }) => (type === 'object-store' ? each : []))
  const found = endpoints.find((each) => each.interface === kind && (region === undefined || each.region === region))
  return sessionOf(url, found?.url, answer.headers['x-subject-token'])
}

function version3Auth(login: StorageLogin): object {
  const { application_credential_id: id, application_credential_name: name, key } = login
  const user = { name: login.user, domain: { name: login.user_domain } }
  if (id !== undefined || name !== undefined) {
    const credential = id === undefined ? { name, user } : { id }
    return { identity: { methods: ['application_credential'], application_credential: { ...credential, secret: key } } }
  }
  const project = { name: login.project, domain: { name: login.project_domain ?? login.user_domain } }
  return { identity: { methods: ['password'], password: { user: { ...user, password: key } } }, scope: { project } }
}

function sessionOf(url: string, accountUrl: unknown, token: unknown): SwiftSession {
  if (typeof accountUrl !== 'string' || typeof token !== 'string' || !URL.canParse(accountUrl)) throw notSwift(url)
  return { accountUrl: accountUrl.replace(/\/$/, ''), token }
}

/** Parses an answer of the storage. Throws `unavailable` for one of something else. */
export function parse<T>(schema: z.ZodType<T>, url: string, text: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw notSwift(url)
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw notSwift(url)
}
