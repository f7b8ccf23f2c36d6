import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../client/client.js'
import { connectError } from '../client/connect-error.js'

const namePattern = /^roost (?:check|lock) (\d+) (.+)$/
/** Where a control plane that is refused says so to the one that has the lock. */
const refusedChannel = 'roost_refused'
/** Characters of the process and machine of a session. */
const longestOwner = 200
const timeoutMs = 5_000
const askMs = 2_000
/** Less than the time after which the server ends the session of a host that vanished, so that no other session has its locks by then. */
const confirmedForMs = 15_000

/** The server ends the session of a host that vanished after 20 s, and does not end an idle one. */
const settings = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // The same for an answer that the host did not receive.
  tcp_user_timeout: '20000',
  idle_session_timeout: '0',
}

/** A session that knows within seconds that it is lost, and with it its locks. */
export class LockSession {
  readonly client: pg.Client
  /** Resolves when the session has ended, or the server does not answer. */
  readonly ended: Promise<void>
  #hasEnded = false
  #confirmedMs = performance.now()

  private constructor(client: pg.Client) {
    this.client = client
    client.on('error', () => {}) // `end` reports it, too
    this.ended = new Promise((resolve) =>
      client.once('end', () => {
        this.#hasEnded = true
        resolve()
      }),
    )
  }

  /** Opens a session that is named after its purpose and this process. Throws DatabaseError. */
  static async open(connection: Connection, purpose: 'check' | 'lock'): Promise<LockSession> {
    const session = new LockSession(
      new pg.Client({
        ...connection,
        application_name: sessionName(purpose),
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: 5_000,
      }),
    )
    await session.client.connect().catch((error: unknown) => {
      throw connectError(connection, error)
    })
    return session
  }

  /** Makes the server end the session soon after its host has vanished. */
  async applySettings(): Promise<void> {
    await this.client.query(
      `select set_config(name, value, false)
         from pg_settings join json_each_text($1) as ours(name, value) using (name)`,
      [JSON.stringify(settings)],
    )
  }

  /** Calls back with the process and machine of each control plane that is refused from now on. */
  async watchRefused(refused: (who: string) => void): Promise<void> {
    this.client.on('notification', ({ channel, payload = '' }) => {
      // Every account of the database may send on the channel.
      if (channel === refusedChannel) refused(payload.slice(0, longestOwner))
    })
    await this.client.query(`listen ${refusedChannel}`)
  }

  /** Says to the session that has the lock that this process is refused. It writes nothing, and never rejects: the refusal matters. */
  async reportRefused(): Promise<void> {
    const text = `select pg_notify($1, $2 || coalesce(', address ' || host(inet_client_addr()), ''))`
    await this.client.query(text, [refusedChannel, `process ${process.pid} on ${hostname()}`]).catch(() => {})
  }

  /** Whether the server has the session, and its locks, for certain. */
  isConfirmed(): boolean {
    return !this.#hasEnded && performance.now() - this.#confirmedMs < confirmedForMs
  }

  /** Asks the server every two seconds, and ends the session when it does not answer: of a cut network, TCP tells only after minutes. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!this.#hasEnded && !signal.aborted) {
      const askedMs = performance.now()
      try {
        await this.client.query('select 1')
        this.#confirmedMs = askedMs
      } catch {
        return this.end()
      }
      await sleep(askMs, undefined, { signal }).catch(() => {})
    }
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => {})
  }
}

function sessionName(purpose: 'check' | 'lock'): string {
  return `roost ${purpose} ${process.pid} ${hostname()}`
}

/** Returns the process and the host that a session is named after; undefined for a session of another program. */
export function ownerOf(name: string | null): { readonly text: string; readonly isThisProcess: boolean } | undefined {
  const [, pid, host] = namePattern.exec(name ?? '') ?? []
  return pid === undefined
    ? undefined
    : { text: `process ${pid} on ${host}`, isThisProcess: name === sessionName('lock') }
}
