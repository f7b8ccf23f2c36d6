import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import type { ConfiguredServer } from './configured.js'

const deadlineMs = 5_000

/** Asks a server whether it is up. Answers undefined when it is, or the reason. Any answer but "disabled" is one of a server that runs. */
export function askServer({ host, port, hasTls }: ConfiguredServer): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = {
      host,
      port,
      path: '/healthcheck',
      agent: false,
      signal: AbortSignal.timeout(deadlineMs),
      // Nothing secret is sent, and certificates are for the names that clients use.
      rejectUnauthorized: false,
    }
    const request = (hasTls ? getHttps : getHttp)(options, (response) => {
      response.resume()
      response.on('error', () => {})
      resolve(response.statusCode === 503 ? 'its healthcheck answers 503' : undefined)
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ABORT_ERR' ? `no answer within ${deadlineMs / 1_000} s` : (error.code ?? error.message)),
    )
  })
}
