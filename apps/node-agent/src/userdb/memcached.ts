import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Endpoint, ProxySettings } from './proxy-settings.js'

const answerTimeoutMs = 5_000
/** Keys in one question. */
const batch = 100

/** Throws a sentence when one of the servers does not answer: tokens that it keeps could not be revoked. */
export async function checkMemcached(servers: readonly Endpoint[]): Promise<void> {
  await Promise.all(
    servers.map((server) => withMemcached(server, async (ask) => void (await ask('version', /^VERSION /)))),
  )
}

/**
 * Ends the sessions of logins. Tempauth keeps a token for a day under the name of the user and under its own, on whichever server
 * the proxies' hash chose at that time: all servers are asked for both. Answers how many tokens there were.
 */
export async function revokeTokens(
  { memcached, prefix }: Pick<ProxySettings, 'memcached' | 'prefix'>,
  logins: readonly string[],
): Promise<number> {
  if (logins.length === 0) return 0
  const users = logins.map((login) => hashed(`${prefix}/user/${login}`))
  const found = await Promise.all(memcached.map((server) => withMemcached(server, (ask) => getAll(ask, users))))
  const tokens = [...new Set(found.flat().flatMap((value) => tokenOf(value) ?? []))]
  const keys = [...users, ...tokens.map((token) => hashed(`${prefix}/token/${token}`))]
  await Promise.all(memcached.map((server) => withMemcached(server, (ask) => deleteAll(ask, keys))))
  return tokens.length
}

/** As Swift's client names what it keeps. */
function hashed(key: string): string {
  return createHash('md5').update(key).digest('hex')
}

/** Swift writes JSON; a value of another program under such a name is no token. */
function tokenOf(value: string): string | undefined {
  try {
    const token: unknown = JSON.parse(value)
    return typeof token === 'string' ? token : undefined
  } catch {
    return undefined
  }
}

async function getAll(ask: Ask, keys: readonly string[]): Promise<readonly string[]> {
  const values: string[] = []
  for (let i = 0; i < keys.length; i += batch) {
    const answer = await ask(`get ${keys.slice(i, i + batch).join(' ')}`, /(^|\n)END\r\n$/)
    values.push(...valuesOf(answer))
  }
  return values
}

/** `VALUE <key> <flags> <bytes>`, and the bytes on the next line. What Swift keeps under these keys has no line break. */
function valuesOf(answer: string): readonly string[] {
  return [...answer.matchAll(/^VALUE \S+ \d+ \d+\r\n(.*)\r\n/gm)].map(([, value = '']) => value)
}

async function deleteAll(ask: Ask, keys: readonly string[]): Promise<void> {
  for (const key of keys) await ask(`delete ${key}`, /^(DELETED|NOT_FOUND)\r\n$/)
}

/** Sends a line and resolves with the answer once it is whole. */
type Ask = (line: string, whole: RegExp) => Promise<string>

async function withMemcached<T>(server: Endpoint, work: (ask: Ask) => Promise<T>): Promise<T> {
  const socket = connect({ ...server, timeout: answerTimeoutMs })
  socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
  socket.once('error', () => {})
  try {
    return await work((line, whole) => answerTo(socket, line, whole))
  } catch (error) {
    const reason = (error as Error).message
    throw new Error(`Tokens cannot be revoked at the memcached server ${server.host}:${server.port}: ${reason}.`, {
      cause: error,
    })
  } finally {
    socket.destroy()
  }
}

function answerTo(socket: Socket, line: string, whole: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const settle = (act: () => void) => {
      socket.off('data', take).off('error', fail).off('close', gone)
      act()
    }
    const fail = (error: Error) => settle(() => reject(error))
    const gone = () => fail(new Error('it closed the connection'))
    const take = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (/^(ERROR|CLIENT_ERROR|SERVER_ERROR)/.test(answer)) fail(new Error(answer.trim()))
      else if (whole.test(answer)) settle(() => resolve(answer))
    }
    if (socket.destroyed) return reject(socket.errored ?? new Error('it closed the connection'))
    socket.on('data', take).once('error', fail).once('close', gone)
    socket.write(`${line}\r\n`)
  })
}
