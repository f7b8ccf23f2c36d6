import { RoostError } from '@roost/api-types/rest'

const retryAfterSeconds = 15
const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)|CERTIFICATE/

/** Returns the error of a request to the storage that failed: it has neither a token nor a key. */
export function unavailable(message: string): RoostError {
  return new RoostError('unavailable', message, { retryAfterSeconds })
}

/** Returns the error of a request without an answer. */
export function noAnswer(url: string, error: unknown): RoostError {
  const { origin } = new URL(url)
  const { code = '', name } = error as NodeJS.ErrnoException
  if (untrusted.test(code))
    return unavailable(
      `The certificate of the storage at ${origin} is not trusted (${code}). Give its authority with the storage login.`,
    )
  const isLate = code === 'ABORT_ERR' || name === 'TimeoutError'
  return unavailable(
    `The storage at ${origin} ${isLate ? 'did not answer in time' : `does not answer (${code || name})`}.`,
  )
}

/** Returns the error of an answer with another status than that of the request. */
export function refused(url: string, status: number): RoostError {
  const { origin } = new URL(url)
  if (status === 401 || status === 403)
    return unavailable(
      `The storage at ${origin} rejected the storage login of the cluster (${status}). Fix it with roost cluster set-storage.`,
    )
  return unavailable(`The storage at ${origin} answered ${status}.`)
}

export function notSwift(url: string): RoostError {
  return unavailable(`The answer of ${new URL(url).origin} is not one of Swift or Keystone. Check the storage login.`)
}
