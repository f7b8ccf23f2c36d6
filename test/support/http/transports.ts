import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@roost/api-types'
import { Agent, request } from 'undici'
import type { Reachable } from './control-plane.js'

export type Kind = 'users' | 'gateway_shares'
export type Row = Readonly<Record<string, unknown>>

/** How a write ended: with the record (null after a removal), or with the HTTP status of its refusal. */
export type Outcome = { readonly record: Row | null } | { readonly refused: number }

/** One of the two transports of the same services. */
export interface Transport {
  create(kind: Kind, body: Row, idempotencyKey?: string): Promise<Outcome>
  change(kind: Kind, id: number, change: Row): Promise<Outcome>
  remove(kind: Kind, id: number): Promise<Outcome>
  /** Every record, in order. */
  list(kind: Kind): Promise<readonly Row[]>
  close(): Promise<void>
}

export interface RestTransport extends Omit<Transport, 'create' | 'list'> {
  create(resource: string, body: Row, idempotencyKey?: string): Promise<Outcome>
  /** Every record, in order; of deployments those that have not ended, unless the query asks for others. */
  list(resource: string, query?: string): Promise<readonly Row[]>
}

export function restTransport({ url, ca, key }: Pick<Reachable, 'url' | 'ca' | 'key'>): RestTransport {
  const dispatcher = new Agent({ connect: { ca } })
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: Row, more: object = {}) => {
    const headers = { authorization: `apikey ${key}`, 'content-type': 'application/json', ...more }
    for (;;) {
      const options = { dispatcher, method, headers, body: body === undefined ? null : JSON.stringify(body) }
      const answer = await request(`${url}/api/v1/${path}`, options)
      const text = await answer.body.text()
      if (answer.statusCode !== 429) return { status: answer.statusCode, body: text === '' ? null : JSON.parse(text) }
      await sleep(Number(answer.headers['retry-after']) * 1000)
    }
  }
  const write = async (...call: Parameters<typeof send>): Promise<Outcome> => {
    const { status, body } = await send(...call)
    return status < 300 ? { record: body as Row | null } : { refused: status }
  }
  return {
    create: (kind, body, id) => write('POST', `${kind}/`, body, id === undefined ? {} : { 'idempotency-key': id }),
    change: (kind, id, change) => write('PATCH', `${kind}/${id}/`, change),
    remove: (kind, id) => write('DELETE', `${kind}/${id}/`),
    list: async (kind, query = '') => (await send('GET', `${kind}/?limit=0${query}`)).body.objects as Row[],
    close: () => dispatcher.destroy(),
  }
}

export function rpcTransport({ url, ca, key }: Pick<Reachable, 'url' | 'ca' | 'key'>): Transport {
  const client = createClient({ url, ca, apiKey: key })
  // The model makes rows of every shape; the types of the client are held where it is used as users do.
  const { users, gatewayShares } = client.rpc as unknown as Record<'users' | 'gatewayShares', Procedures>
  const of = (kind: Kind) => (kind === 'users' ? users : gatewayShares)
  return {
    create: (kind, body) => outcome(of(kind).create.mutate(body)),
    change: (kind, id, change) => outcome(of(kind).change.mutate({ id, change })),
    remove: (kind, id) => outcome(of(kind).remove.mutate({ id })),
    list: async (kind) => (await of(kind).list.query({ limit: 1000 })).objects,
    close: () => client.close(),
  }
}

interface Mutation {
  mutate(input: Row): Promise<Row | undefined>
}
interface Procedures {
  readonly create: Mutation
  readonly change: Mutation
  readonly remove: Mutation
  readonly list: { query(input: Row): Promise<{ readonly objects: readonly Row[] }> }
}

async function outcome(running: Promise<Row | undefined>): Promise<Outcome> {
  try {
    return { record: (await running) ?? null }
  } catch (error) {
    const { data } = error as { readonly data?: { readonly httpStatus?: number } }
    if (data?.httpStatus === undefined) throw error
    return { refused: data.httpStatus }
  }
}
