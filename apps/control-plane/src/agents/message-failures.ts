import { closeCodes, FrameError } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { isRefused } from '../database/database.js'
import type { Log } from '../lifecycle/log.js'
import type { Session } from './session.js'
import type { RawMessage } from './received/raw-message.js'

/** What happens to a message that cannot be processed. Nothing of it reaches another session. */
export class MessageFailures {
  readonly #counts: { refused: number }
  readonly #log: Log

  constructor(counts: { refused: number }, log: Log) {
    this.#counts = counts
    this.#log = log
  }

  /** `permanent`: the same bytes would be refused again, so an agent that keeps them drops them. */
  refuse(session: Session, raw: RawMessage, message: string, permanent = false): void {
    this.#counts.refused += 1
    session.send({
      type: 'refused',
      of: raw.type.slice(0, 64),
      ...(typeof raw.sequence === 'number' ? { sequence: raw.sequence } : {}),
      ...(permanent ? { permanent } : {}),
      message: message.slice(0, 500),
    })
  }

  /** Refuses what a handler does not accept, and ends the session after anything else. */
  failed(session: Session, raw: RawMessage, error: unknown): void {
    if (error instanceof RoostError)
      this.refuse(session, raw, error.message, raw.type === 'history' && error.code === 'invalid')
    else if (isRefused(error)) this.#refusedByDatabase(session, raw, error)
    else if (error instanceof FrameError) session.close(closeCodes.policyViolation, error.message)
    else this.crashed(session, raw.type, error)
  }

  /** Ends the session after an internal error: the state of its data is unknown, so the agent starts again. */
  crashed(session: Session, type: string, error: unknown): void {
    this.#counts.refused += 1
    const { nodeId, hostname } = session.agent
    const fields = { err: error, nodeId, hostname, message: type.slice(0, 64) }
    this.#log.error(fields, 'could not process a message, closing the session')
    session.close(closeCodes.internalError, 'The control plane could not process this message. Retry later.')
  }

  /** Drops a message whose values the database refuses, because it would refuse them again. The session continues. */
  #refusedByDatabase(session: Session, raw: RawMessage, err: unknown): void {
    const { nodeId, hostname } = session.agent
    this.#log.warn({ err, nodeId, hostname, message: raw.type }, 'dropped a message that the database refused')
    this.refuse(session, raw, 'The database refuses the values of this message.')
  }
}
