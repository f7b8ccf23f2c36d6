import { printable } from '@roost/runtime'

/** Keystone did not do what was asked. The message is for operators: it has neither a token nor a password. */
export class KeystoneError extends Error {
  override readonly name = 'KeystoneError'
  /** The status of its answer; undefined when there was no answer that could be read. */
  readonly status: number | undefined

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
  }
}

const untrusted = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)|CERTIFICATE/

/** Returns the error of a request that got no answer. */
export function noAnswer(url: string, error: unknown): KeystoneError {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = code ?? message
  const { origin } = new URL(url)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new KeystoneError(`The certificate of Keystone at ${origin} is of another host. Use the name that it has.`)
  if (code !== undefined && untrusted.test(code))
    return new KeystoneError(
      `The certificate of Keystone at ${origin} is not trusted (${code}). Give its authority with ca (--ca-file).`,
      undefined,
      error,
    )
  const isTimeout = code === 'ABORT_ERR' || (error as Error).name === 'TimeoutError'
  const what = isTimeout ? 'did not answer in time' : `does not answer (${reason})`
  return new KeystoneError(`Keystone at ${origin} ${what}.`, undefined, error)
}

/** Returns the error of an answer with a status that the request does not expect. */
export function refused(what: string, status: number, text: string): KeystoneError {
  const reason = reasonOf(text)
  return new KeystoneError(`Keystone answered ${status} to ${what}${reason === '' ? '' : `: ${reason}`}`, status)
}

const maxReason = 300

/** Returns the message of an error that Keystone answered, in one line. */
function reasonOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    const message = typeof error?.message === 'string' ? error.message : ''
    return printable(message.replaceAll(/\s+/g, ' ')).slice(0, maxReason)
  } catch {
    return ''
  }
}
