import { Agent, fetch } from 'undici'

export interface KeystoneLogin {
  readonly name: string
  readonly password: string
  /** The name of the project; without one the token is of no project. */
  readonly project?: string
  /** The id of the domain of both. Default `default`. */
  readonly domain?: string
}

export interface KeystoneAnswer {
  readonly status: number
  // The tests compare what Keystone returns; its shapes are its own.
  readonly body: Readonly<Record<string, unknown>>
}

/** A token, and requests with it. */
export interface KeystoneSession {
  readonly token: string
  readonly userId: string
  readonly projectId: string | undefined
  /** The public URL of a service in the token's catalog, such as of `object-store`. */
  endpoint(type: string): string | undefined
  /** Sends a request to a path below `/v3`, such as `/users`, whatever the status of the answer. */
  call(method: string, path: string, body?: object): Promise<KeystoneAnswer>
  /** As `call`, but rejects when the status is not 2xx, and returns the object of that name. */
  make(path: string, name: string, fields: object): Promise<{ readonly id: string }>
}

/** Signs in by password at a Keystone's API version 3; rejects with its answer. */
export async function signIn(url: string, login: KeystoneLogin, ca?: string): Promise<KeystoneSession> {
  const domain = { id: login.domain ?? 'default' }
  const user = { name: login.name, domain, password: login.password }
  const scope = login.project === undefined ? 'unscoped' : { project: { name: login.project, domain } }
  const body = { auth: { identity: { methods: ['password'], password: { user } }, scope } }
  const answer = await send(`${url}/auth/tokens`, 'POST', body, undefined, ca)
  if (answer.status !== 201) throw new Error(`Keystone answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  const token = answer.token ?? ''
  const content = answer.body['token'] as TokenBody
  const call: KeystoneSession['call'] = (method, path, fields) => send(url + path, method, fields, token, ca)
  return {
    token,
    userId: content.user.id,
    projectId: content.project?.id,
    endpoint: (type) =>
      content.catalog?.find((entry) => entry.type === type)?.endpoints.find((one) => one.interface === 'public')?.url,
    call,
    async make(path, name, fields) {
      const made = await call('POST', path, { [name]: fields })
      if (made.status !== 201) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`)
      return made.body[name] as { readonly id: string }
    },
  }
}

interface TokenBody {
  readonly user: { readonly id: string }
  readonly project?: { readonly id: string }
  readonly catalog?: readonly {
    readonly type: string
    readonly endpoints: readonly { readonly interface: string; readonly url: string }[]
  }[]
}

async function send(url: string, method: string, body: object | undefined, token: string | undefined, ca?: string) {
  const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } })
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { 'x-auth-token': token }),
  }
  try {
    const init = { method, headers, dispatcher, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(url, init)
    const text = await response.text()
    const content = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
    return { status: response.status, body: content, token: response.headers.get('x-subject-token') }
  } finally {
    await dispatcher.close()
  }
}
