import type { Swift } from '../swift/cluster.js'

export interface StoredObject {
  /** The MD5 of its content. */
  readonly etag: string
  /** When it was written, as Swift reports; Unix milliseconds. */
  readonly writtenAt: number
}

/** What a container of an account has, by Swift's own API. */
export interface Objects {
  put(container: string, name: string, content: string): Promise<void>
  remove(container: string, name: string): Promise<void>
  find(container: string, name: string): Promise<StoredObject | undefined>
  list(container: string): Promise<readonly string[]>
  /** Each object of a container of up to 10,000, by name. */
  entries(container: string): Promise<ReadonlyMap<string, { readonly md5: string; readonly bytes: number }>>
}

/** Opens the account `test` of tempauth. */
export async function openObjects({ proxyUrl, innerProxyUrl }: Swift): Promise<Objects> {
  const login = await fetch(`${proxyUrl}/auth/v1.0`, {
    headers: { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' },
  })
  const account = (login.headers.get('x-storage-url') ?? '').replace(innerProxyUrl, proxyUrl)
  return objectsOf(account, login.headers.get('x-auth-token') ?? '')
}

/** `account` is its URL as this process reaches it. */
export function objectsOf(account: string, token: string): Objects {
  const headers = { 'x-auth-token': token }
  const change = async (method: 'PUT' | 'DELETE', path: string, body?: string) => {
    const { status } = await fetch(`${account}/${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    if (status >= 300) throw new Error(`${method} ${path} answers ${status}`)
  }
  return {
    put: (container, name, content) => change('PUT', `${container}/${name}`, content),
    remove: (container, name) => change('DELETE', `${container}/${name}`),
    async find(container, name) {
      const answer = await fetch(`${account}/${container}/${name}`, { method: 'HEAD', headers })
      if (answer.status !== 200) return undefined
      const writtenAt = Number(answer.headers.get('x-timestamp')) * 1000
      return { etag: answer.headers.get('etag') ?? '', writtenAt }
    },
    async list(container) {
      const answer = await fetch(`${account}/${container}`, { headers })
      return answer.status === 200 ? (await answer.text()).split('\n').filter(Boolean) : []
    },
    async entries(container) {
      const answer = await fetch(`${account}/${container}?format=json`, { headers })
      const listed = answer.status === 200 ? ((await answer.json()) as Listed[]) : []
      return new Map(listed.map(({ name, hash, bytes }) => [name, { md5: hash, bytes }]))
    },
  }
}

interface Listed {
  readonly name: string
  readonly hash: string
  readonly bytes: number
}
