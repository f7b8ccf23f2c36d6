import { printable } from '@roost/runtime'

const maxCauseLength = 1_000

/** Why a node could not be enrolled: one cause, and one thing to do about it. */
export class EnrollError extends Error {
  override readonly name = 'EnrollError'
  readonly remedy: string

  constructor(cause: string, remedy: string) {
    // It may be a text of the control plane.
    super(printable(cause).slice(0, maxCauseLength))
    this.remedy = remedy
  }
}

/** Explains a failed connection to the operator who typed the address. */
export function connectionError(error: unknown, server: URL, now: Date): EnrollError {
  const { code = '', message } = error as NodeJS.ErrnoException
  const [cause, remedy] = meanings[code] ?? [
    () => `The connection to ${server.origin} failed: ${message}.`,
    'Check the address, and that this machine can reach it.',
  ]
  return new EnrollError(cause(server, message, now), remedy)
}

type Cause = (server: URL, message: string, now: Date) => string

const wrongTime =
  "If this machine's clock is wrong, set it, preferably with NTP. Otherwise renew the certificate of the control plane."
const wrongChain =
  'Use the line that `roost token create` printed, unchanged. If you did, somebody may be intercepting the connection to the control plane.'
const notTls = (server: URL): string => `${server.origin} does not speak TLS.`

const meanings: Readonly<Record<string, readonly [Cause, string]>> = {
  ECONNREFUSED: [
    (server) => `Nothing listens at ${server.host}.`,
    'Check the address, and that the control plane runs and listens on more than loopback (ROOST_LISTEN).',
  ],
  ENOTFOUND: [(server) => `The name ${server.hostname} cannot be resolved.`, 'Check the name, or use an IP address.'],
  EAI_AGAIN: [
    (server) => `The name ${server.hostname} cannot be resolved at the moment.`,
    'Check the name servers of this machine, or use an IP address.',
  ],
  ETIMEDOUT: [
    (server) => `${server.host} does not answer.`,
    'Check the address, and that no firewall is between this machine and the control plane.',
  ],
  EPROTO: [notTls, 'Check the port, or use http:// if the control plane is on this machine.'],
  ERR_SSL_WRONG_VERSION_NUMBER: [notTls, 'Check the port, or use http:// if the control plane is on this machine.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    (server, message) => `The certificate of the control plane is not for ${server.hostname}. ${message}`,
    'Use a name that is in the certificate, or set ROOST_PUBLIC_URL on the control plane to this name.',
  ],
  CERT_HAS_EXPIRED: [
    (_, __, now) => `The certificate has expired by this machine's clock, ${now.toISOString()}.`,
    wrongTime,
  ],
  CERT_NOT_YET_VALID: [
    (_, __, now) => `The certificate is not valid yet by this machine's clock, ${now.toISOString()}.`,
    wrongTime,
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    () => 'The certificate of the control plane comes from an unknown authority.',
    wrongChain,
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: [() => 'The certificate of the control plane is self-signed.', wrongChain],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    () => 'The certificate of the control plane comes from an unknown authority.',
    wrongChain,
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    () => 'The certificate of the control plane comes from an unknown authority.',
    wrongChain,
  ],
  CERT_SIGNATURE_FAILURE: [() => 'The certificate of the control plane has an invalid signature.', wrongChain],
}
