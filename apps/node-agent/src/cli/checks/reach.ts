import { request } from 'node:https'
import { request as plainRequest } from 'node:http'

export interface Reached {
  readonly status: number
  /** How far this machine's clock is ahead of the control plane's, as its `Date` header tells: to a second. */
  readonly skewSeconds: number | null
}

const deadlineMs = 5_000

/** Asks whether the control plane is there, over a connection that these authorities vouch for. Rejects with the reason. */
export function reach(server: string, authorities: readonly string[]): Promise<Reached> {
  const url = new URL('/healthz', server)
  const ask = url.protocol === 'http:' ? plainRequest : request
  return new Promise((resolve, reject) => {
    const options = { timeout: deadlineMs, ...(authorities.length > 0 ? { ca: [...authorities] } : {}) }
    const sent = ask(url, options, (response) => {
      response.resume()
      const theirs = Date.parse(response.headers.date ?? '')
      const skewSeconds = Number.isNaN(theirs) ? null : Math.round((Date.now() - theirs) / 1000)
      resolve({ status: response.statusCode ?? 0, skewSeconds })
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.on('error', reject)
    sent.end()
  })
}
