import { sendHttp } from '../../../services/send-http.js'
import { lookupOf } from './reach.js'
import type { Reach } from './reach.js'

const timeoutMs = 10_000
/** An answer says why a request was refused in less. */
const keptBytes = 16_384
const shownLength = 200

export interface JsonPost {
  readonly url: string
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  readonly authorization: string | undefined
  readonly ca: string | undefined
}

/** Posts JSON to a server. Throws unless the answer is 2xx; redirects are not followed. */
export async function postJson(reach: Reach, { url, body, headers = {}, authorization, ca }: JsonPost): Promise<void> {
  const { hostname, host } = new URL(url)
  const signal = AbortSignal.timeout(timeoutMs)
  const lookup = lookupOf(await reach.addressOf(hostname))
  const text = JSON.stringify(body)
  const { status, text: answer } = await sendHttp({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      'user-agent': 'Roost',
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    },
    body: text,
    ca,
    signal,
    lookup,
    keptBytes,
  }).catch((error: unknown) => {
    if (signal.aborted) throw new Error(`${host} did not answer within ${timeoutMs / 1000} s.`)
    throw error
  })
  if (status >= 200 && status < 300) return
  const reason = answer
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, shownLength)
  throw new Error(`${host} answered with status ${status}${reason === '' ? '' : `: ${reason}`}`)
}
