import type { Swift } from '../swift/cluster.js'

export interface StoredObject {
  /** The MD5 of its content. */
  readonly etag: string
  /** When it was written, as Swift tells; Unix milliseconds. */
  readonly writtenAt: number
}

/** What a container of the account `test` holds, asked by Swift's own API. */
export interface Objects {
  find(container: string, name: string): Promise<StoredObject | undefined>
  list(container: string): Promise<readonly string[]>
}

export async function openObjects({ proxyUrl, innerProxyUrl }: Swift): Promise<Objects> {
  const login = await fetch(`${proxyUrl}/auth/v1.0`, {
    headers: { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' },
  })
  const headers = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' }
  const account = (login.headers.get('x-storage-url') ?? '').replace(innerProxyUrl, proxyUrl)
  return {
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
  }
}
