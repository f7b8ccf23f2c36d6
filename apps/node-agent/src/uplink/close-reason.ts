import { closeCodes } from '@roost/api-types/agent'
import * as z from 'zod/mini'

const Reason = z.object({ message: z.string(), retry_after_ms: z.optional(z.number().check(z.nonnegative())) })

const meanings: Readonly<Record<number, string>> = {
  1006: 'The connection was lost.',
  [closeCodes.internalError]: 'The control plane failed to process a message. See the log of the control plane.',
  [closeCodes.serviceRestart]: 'The control plane is restarting.',
  [closeCodes.tryAgainLater]: 'The control plane is busy.',
  [closeCodes.unauthenticated]: "The control plane did not accept this node's signature. Enroll this machine again.",
  [closeCodes.helloTimeout]: 'The control plane received no hello message in time.',
  [closeCodes.needsUpgrade]: 'The control plane does not support the protocol version of this agent.',
  [closeCodes.replaced]: 'Another process connected with the identity of this node.',
  [closeCodes.revoked]: 'An operator removed this node.',
}

/** Reads the reason of a close frame. A reason that is not JSON, as proxies send, is taken as text. */
export function readCloseReason(code: number, reason: string): { message: string; retryAfterMs: number | null } {
  const parsed = Reason.safeParse(jsonOf(reason))
  if (parsed.success) return { message: parsed.data.message, retryAfterMs: parsed.data.retry_after_ms ?? null }
  const meaning = meanings[code] ?? `The connection was closed with code ${code}.`
  return { message: reason === '' ? meaning : `${meaning} ${reason}`, retryAfterMs: null }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
