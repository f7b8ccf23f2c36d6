import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { ProxySettings } from './proxy-settings.js'

/** A login that the proxy must accept or refuse. */
export interface LoginCheck {
  readonly login: string
  readonly key: string
  readonly mustSucceed: boolean
}

const loginTimeoutMs = 10_000

/** Logs in on a new connection to this node's proxy, and returns its status; null without an answer. */
export function logIn(proxy: ProxySettings, { login, key }: Pick<LoginCheck, 'login' | 'key'>): Promise<number | null> {
  const { host, port } = proxy.address
  const options = {
    host,
    port,
    path: `${proxy.authPath}v1.0`,
    headers: { 'x-auth-user': login, 'x-auth-key': key, connection: 'close' },
    agent: false,
    timeout: loginTimeoutMs,
    // The certificate names the cluster, not this address of our own machine.
    rejectUnauthorized: false,
  } as const
  return new Promise((resolve) => {
    const request = (proxy.isTls ? requestTls : requestPlain)(options, (response) => {
      response.resume()
      response.once('close', () => resolve(response.statusCode ?? null))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(null))
    request.once('close', () => resolve(null))
    request.end()
  })
}

/** Returns the first failed check as a sentence; null when all pass. */
export async function failedLogin(proxy: ProxySettings, checks: readonly LoginCheck[]): Promise<string | null> {
  for (const check of checks) {
    const status = await logIn(proxy, check)
    const isAsExpected = check.mustSucceed ? status === 200 : status === 401
    if (isAsExpected) continue
    const { host, port } = proxy.address
    if (status === null) return `The proxy at ${host}:${port} does not answer.`
    const wanted = check.mustSucceed ? 'could not log in' : 'could still log in'
    return `After the reload '${check.login}' ${wanted}: the proxy answered ${status}.`
  }
  return null
}
