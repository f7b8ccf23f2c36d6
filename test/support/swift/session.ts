import { setTimeout as sleep } from 'node:timers/promises'

/** What a proxy answered to a login. */
export interface Session {
  readonly status: number
  readonly token: string
  /** The URL of the account, through the same proxy. */
  readonly account: string
}

/** Logs in with a connection of its own, so that no worker of before answers. */
export async function logIn(proxyUrl: string, user: string, key: string): Promise<Session> {
  const headers = { 'x-auth-user': user, 'x-auth-key': key, connection: 'close' }
  const { status, headers: got } = await fetch(`${proxyUrl}/auth/v1.0`, { headers })
  return { status, token: got.get('x-auth-token') ?? '', account: got.get('x-storage-url') ?? '' }
}

/** Puts or gets `docs/a.txt` of the account. */
export async function objectOf(session: Session, method: 'GET' | 'PUT', body?: string) {
  const headers = { 'x-auth-token': session.token, connection: 'close' }
  if (method === 'PUT') {
    const container = await fetch(`${session.account}/docs`, { method, headers })
    if (!container.ok) return { status: container.status, text: await container.text() }
  }
  const answer = await fetch(`${session.account}/docs/a.txt`, { method, headers, ...(body ? { body } : {}) })
  return { status: answer.status, text: await answer.text() }
}

/** The results of the requests of a client that sends them all the time. */
export interface RequestCounts {
  readonly answers: number
  /** Statuses other than 200, and reasons why there was no answer. */
  readonly failures: readonly (number | string)[]
  readonly sentAgain: number
}

/**
 * Gets the object repeatedly until the signal is aborted. As HTTP clients do, it sends a request again whose connection ends without an answer:
 * when a proxy's old workers end, they close connections that they have accepted and read nothing from yet.
 */
export async function requestRepeatedly(session: Session, signal: AbortSignal): Promise<RequestCounts> {
  const ask = async (): Promise<number | string> =>
    objectOf(session, 'GET').then(
      ({ status }) => status,
      (error: Error) => error.message,
    )
  const failures: (number | string)[] = []
  let answers = 0
  let sentAgain = 0
  for (; !signal.aborted; await sleep(20)) {
    let outcome = await ask()
    if (outcome === 'fetch failed') {
      sentAgain += 1
      outcome = await ask()
    }
    if (outcome === 200) answers += 1
    else failures.push(outcome)
  }
  return { answers, failures, sentAgain }
}
