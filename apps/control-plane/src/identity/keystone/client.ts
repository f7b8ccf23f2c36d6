import { z } from 'zod'
import { KeystoneError, noAnswer, refused } from './errors.js'
import { sendHttp } from '../../services/send-http.js'
import type { HttpAnswer } from '../../services/send-http.js'
import { authBody } from './login.js'
import type { KeystoneLogin } from './login.js'

/** Requests to the API of Keystone, version 3, with a token. Each rejects with a KeystoneError. */
export interface KeystoneClient {
  /** The id of the user that has logged in. */
  readonly userId: string
  /** Reads a list, such as `users` of `/users?domain_id=…`. */
  list<T>(path: string, name: string, element: z.ZodType<T>): Promise<readonly T[]>
  /** Reads an object, such as a `user` of `/users/…`. Undefined: it is not there. */
  find<T>(path: string, name: string, answer: z.ZodType<T>): Promise<T | undefined>
  /** Creates an object, such as a `user` at `/users`. */
  create<T>(path: string, name: string, fields: object, answer: z.ZodType<T>): Promise<T>
  change(path: string, name: string, fields: object): Promise<void>
  put(path: string): Promise<void>
  /** Removes an object; one that is not there is removed already. */
  remove(path: string): Promise<void>
}

export interface KeystoneOptions {
  /** Ends every request. */
  readonly signal: AbortSignal
  /** How long Keystone has for each answer. */
  readonly timeoutMs: number
}

/** Logs in to a Keystone. Rejects with a KeystoneError that says what it answered. */
export async function openKeystone(login: KeystoneLogin, options: KeystoneOptions): Promise<KeystoneClient> {
  const session = await logIn(login, options)
  let token = session.token
  const withToken = async (method: string, path: string, body?: object): Promise<HttpAnswer> => {
    const answer = await request(login, options, { method, path, body, token })
    if (answer.status !== 401) return answer
    // The token has expired, or its user was changed.
    token = (await logIn(login, options)).token
    return request(login, options, { method, path, body, token })
  }
  const act = async (expected: readonly number[], method: string, path: string, body?: object) => {
    const answer = await withToken(method, path, body)
    if (!expected.includes(answer.status)) throw refused(`${method} ${pathOf(path)}`, answer.status, answer.text)
    return answer
  }
  return {
    userId: session.userId,
    async list(path, name, element) {
      const { text } = await act([200], 'GET', path)
      const content = parse(text, path) as Readonly<Record<string, unknown>>
      const rows = content[name]
      if (content['truncated'] === true || !Array.isArray(rows))
        throw new KeystoneError(
          `Keystone returns only a part of ${pathOf(path)}. Raise list_limit in its configuration, or unset it.`,
        )
      return rows.map((row) => read(element, row, path))
    },
    async find(path, name, answer) {
      const { status, text } = await act([200, 404], 'GET', path)
      if (status === 404) return undefined
      return read(answer, (parse(text, path) as Readonly<Record<string, unknown>>)[name], path)
    },
    async create(path, name, fields, answer) {
      const { text } = await act([201], 'POST', path, { [name]: fields })
      return read(answer, (parse(text, path) as Readonly<Record<string, unknown>>)[name], path)
    },
    change: async (path, name, fields) => void (await act([200], 'PATCH', path, { [name]: fields })),
    put: async (path) => void (await act([204], 'PUT', path)),
    remove: async (path) => void (await act([204, 404], 'DELETE', path)),
  }
}

const TokenAnswer = z.object({ token: z.object({ user: z.object({ id: z.string() }) }) })

async function logIn(login: KeystoneLogin, options: KeystoneOptions) {
  const body = authBody(login)
  const answer = await request(login, options, { method: 'POST', path: '/auth/tokens', body, token: undefined })
  const token = answer.headers['x-subject-token']
  if (answer.status === 201 && typeof token === 'string') {
    const content = read(TokenAnswer, parse(answer.text, '/auth/tokens'), '/auth/tokens')
    return { token, userId: content.token.user.id }
  }
  throw refused('the login', answer.status, answer.text)
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
  readonly token: string | undefined
}

async function request(
  { authUrl, ca }: KeystoneLogin,
  { signal, timeoutMs }: KeystoneOptions,
  { method, path, body, token }: Call,
): Promise<HttpAnswer> {
  const url = authUrl + path
  const headers = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { 'x-auth-token': token }),
  }
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    return await sendHttp({ method, url, headers, ca: ca ?? undefined, signal: limited, ...text })
  } catch (error) {
    throw noAnswer(url, error)
  }
}

function parse(text: string, path: string): unknown {
  try {
    return Object(JSON.parse(text)) as unknown
  } catch {
    throw notKeystone(path)
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw notKeystone(path)
}

function notKeystone(path: string): KeystoneError {
  return new KeystoneError(`The answer to ${pathOf(path)} is not one of Keystone. Check auth_url.`)
}

/** Returns a path without its query and ids. */
function pathOf(path: string): string {
  return path.split('?', 1)[0]?.replaceAll(/\/[0-9a-f]{32,64}(?=\/|$)/g, '/…') ?? ''
}
