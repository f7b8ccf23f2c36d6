import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Context } from '@roost/control-plane/dist/context/context.js'
import { Agent, request } from 'undici'
import { startInProcess } from './control-plane.js'
import type { InProcessControlPlane } from './control-plane.js'
import { createTestDatabase } from '../database/database.js'
import { openApiContract } from './openapi-contract.js'
import type { TestDatabase } from '../database/database.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The parsed body; undefined where there is none. */
  readonly body: ReturnType<typeof JSON.parse>
}

export interface Call {
  readonly method?: string
  /** Sent as JSON, unless it is a string or bytes, which go as they are. */
  readonly body?: unknown
  /** Lower-case names; `null` leaves out what would be sent. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** The address to call from, of 127.0.0.0/8: failed authentications are counted by address. */
  readonly from?: string
}

/** The API over TLS on a real PostgreSQL, as a client meets it. Every answer is held against the OpenAPI document. */
export interface TestApi {
  readonly url: string
  readonly ca: string
  /** `admin:<key>` */
  readonly key: string
  readonly context: Context
  readonly database: TestDatabase
  readonly controlPlane: InProcessControlPlane
  call(path: string, call?: Call): Promise<Answer>
  get(path: string, headers?: Call['headers']): Promise<Answer>
  patch(path: string, body: unknown, headers?: Call['headers']): Promise<Answer>
  /** An operator with a key; answers `name:key`. */
  addOperator(options?: OperatorOptions): Promise<string>
  stop(): Promise<void>
}

export interface OperatorOptions {
  readonly name?: string
  readonly role?: 'admin' | 'read_only'
  readonly enabled?: boolean
  readonly expiresAt?: Date
  readonly revokedAt?: Date
}

export async function startApi(env: Readonly<Record<string, string>> = {}, logOut?: Writable): Promise<TestApi> {
  const database = await createTestDatabase()
  const controlPlane = await startInProcess(database.url, env, logOut)
  const { url, ca, key } = controlPlane
  const contract = await openApiContract(controlPlane)
  const agents = new Map<string, Agent>()
  const agentFrom = (localAddress: string) => {
    const agent = agents.get(localAddress) ?? new Agent({ connect: { ca }, localAddress, connections: 16 })
    agents.set(localAddress, agent)
    return agent
  }

  async function call(
    path: string,
    { method = 'GET', body, headers = {}, from = '127.0.0.1' }: Call = {},
  ): Promise<Answer> {
    const dispatcher = agentFrom(from)
    const all = {
      authorization: `apikey ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = Object.entries({ ...all, ...headers }).filter((entry): entry is [string, string] => entry[1] !== null)
    const answer = await request(`${url}${path}`, {
      dispatcher,
      method: method as 'GET',
      headers: Object.fromEntries(sent),
      body: body === undefined ? null : isRaw(body) ? body : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type']).includes('json') && text !== ''
    const parsed = isJson ? JSON.parse(text) : undefined
    contract.check({ method, path, status: answer.statusCode, body: parsed })
    return { status: answer.statusCode, headers: answer.headers, text, body: parsed }
  }

  return {
    url,
    ca,
    key,
    context: controlPlane.server.context,
    database,
    controlPlane,
    call,
    get: (path, headers = {}) => call(path, { headers }),
    patch: (path, body, headers = {}) => call(path, { method: 'PATCH', body, headers }),
    async addOperator({ name = `op-${randomUUID()}`, role = 'admin', enabled = true, expiresAt, revokedAt } = {}) {
      const secret = randomBytes(24).toString('base64url')
      const digest = new Uint8Array(createHash('sha256').update(secret).digest())
      const times = { expiresAt: expiresAt ?? null, revokedAt: revokedAt ?? null }
      await database.prisma.operator.create({
        data: { name, role, enabled, keys: { create: { digest, ...times } } },
      })
      return `${name}:${secret}`
    },
    async stop() {
      await Promise.all([...agents.values()].map((agent) => agent.close()))
      await controlPlane.stop()
      await database.drop()
    },
  }
}

function isRaw(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body)
}
