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
  if (method === 'PUT') await fetch(`${session.account}/docs`, { method, headers })
  const answer = await fetch(`${session.account}/docs/a.txt`, { method, headers, ...(body ? { body } : {}) })
  return { status: answer.status, text: await answer.text() }
}
