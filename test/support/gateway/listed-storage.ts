import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The key and password of its only login, `shares:gateway` of tempauth and `gateways` of Keystone. */
export const storageKey = 'a-key-that-must-not-leak'

/** A storage that only lists its containers, with tempauth and a Keystone, and counts what it is asked. */
export interface ListedStorage {
  readonly origin: string
  logins: number
  listings: number
  /** What it gives out and accepts. */
  token: string
  /** What it answers to listings; 200 unless set. */
  status: number
  stop(): void
}

export async function startListedStorage(names: readonly string[]): Promise<ListedStorage> {
  const http = createServer((request, response) => void answer(storage, names, request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const storage: ListedStorage = {
    origin,
    logins: 0,
    listings: 0,
    token: 'token-1',
    status: 200,
    stop: () => void http.close(),
  }
  return storage
}

async function answer(
  storage: ListedStorage,
  names: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', storage.origin)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (pathname.endsWith('/auth/v1.0')) return answerTempauth(storage, request, response)
  if (pathname === '/v3/auth/tokens') return answerKeystone(storage, Buffer.concat(chunks).toString(), response)
  if (pathname !== '/v1/AUTH_shares') return void response.writeHead(404).end()
  if (request.headers['x-auth-token'] !== storage.token) return void response.writeHead(401).end()
  storage.listings += 1
  if (storage.status !== 200) return void response.writeHead(storage.status).end(`${storageKey} failed`)
  const found = names.filter((name) => name.startsWith(searchParams.get('prefix') ?? '')).toSorted()
  const rows = found.slice(0, Number(searchParams.get('limit'))).map((name) => ({ name, count: 3, bytes: 30 }))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows))
}

function answerTempauth(storage: ListedStorage, { headers }: IncomingMessage, response: ServerResponse): void {
  storage.logins += 1
  const isRight = headers['x-auth-user'] === 'shares:gateway' && headers['x-auth-key'] === storageKey
  if (!isRight) return void response.writeHead(401).end('no')
  const session = { 'x-storage-url': `${storage.origin}/v1/AUTH_shares`, 'x-auth-token': storage.token }
  response.writeHead(200, session).end()
}

/** Its catalog has the storage at one of three endpoints. */
function answerKeystone(storage: ListedStorage, body: string, response: ServerResponse): void {
  const { user } = JSON.parse(body).auth.identity.password
  if (user.password !== storageKey) return void response.writeHead(401).end('{"error": {"message": "no"}}')
  const endpoint = (region: string, kind: string, path: string) => ({
    region,
    interface: kind,
    url: storage.origin + path,
  })
  const endpoints = [
    endpoint('one', 'public', '/nowhere'),
    endpoint('two', 'internal', '/nowhere'),
    endpoint('two', 'public', '/v1/AUTH_shares'),
  ]
  const catalog = [
    { type: 'image', endpoints: [] },
    { type: 'object-store', endpoints },
  ]
  response.writeHead(201, { 'x-subject-token': storage.token }).end(JSON.stringify({ token: { catalog } }))
}
