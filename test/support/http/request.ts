import { Agent, fetch } from 'undici'
import type { Reachable } from './control-plane.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** One request with the first operator's key, over a connection of its own: a GET, or a PATCH (or `method`) with a body. */
export async function request(
  roost: Pick<Reachable, 'url' | 'ca' | 'key'>,
  path: string,
  body?: object,
  method: 'PATCH' | 'POST' = 'PATCH',
): Promise<Answer> {
  const dispatcher = new Agent({ connect: { ca: roost.ca } })
  const headers = { authorization: `apikey ${roost.key}`, 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method, body: JSON.stringify(body) }
  try {
    const response = await fetch(new URL(path, roost.url), { dispatcher, headers, ...init })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: isJson ? (JSON.parse(text) as unknown) : text,
    }
  } finally {
    await dispatcher.destroy()
  }
}
