import { closeCodes, type RequestMessage } from '@roost/api-types/agent'
import type { Clock, Log } from '@roost/runtime'
import type { Identity, MachineIds } from '../machine/identity.js'
import type { Deployments } from '../deployments/deployments.js'
import { Backoff, type SessionEnd } from './backoff.js'
import { clockRemedy } from './clock-skew.js'
import type { Outbox } from './outbox.js'
import { type Pace, paceOf } from './pace.js'
import { answerRequest, type RequestHandlers } from './requests.js'
import { Session, type SessionMessage } from './session.js'
import type { Trust } from './trust.js'

export interface UplinkOptions {
  readonly identity: Identity
  readonly machine: MachineIds
  readonly trust: Trust
  readonly outbox: Outbox
  readonly deployments: Deployments
  readonly requests: RequestHandlers
  readonly pace: Pace
  /** The control plane set another pace. */
  readonly onPace: (pace: Pace) => void
  /** What the hello says beside the capabilities of every agent of this version. */
  readonly capabilities: readonly string[]
  /** A session that is the node's own began. Never rejects. */
  readonly onConnected: () => Promise<void>
  /** Receives the state of the connection as a text. */
  readonly onStatus: (status: string) => void
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** Why the uplink is over. */
export interface UplinkEnd {
  readonly reason: 'revoked' | 'stopped'
  readonly message: string
}

/** Unknown types of messages that are logged, each once. */
const maxUnknownTypes = 100

/** Keeps a session with the control plane open, and reconnects until an operator removes the node. */
export class Uplink {
  readonly ended: Promise<UplinkEnd>
  readonly #options: UplinkOptions
  readonly #backoff: Backoff
  readonly #unknown = new Set<string>()
  #pace: Pace
  #session: Session | null = null
  #stopping = false
  #wake: () => void = () => {}

  /** Dials at once. */
  constructor(options: UplinkOptions) {
    this.#options = options
    this.#pace = options.pace
    this.#backoff = new Backoff(options.random)
    this.ended = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#wake()
    await this.#session?.close(1000, 'The agent is stopping.')
    await this.ended
  }

  async #run(): Promise<UplinkEnd> {
    while (!this.#stopping) {
      const end = await this.#oneSession()
      if (end.code === closeCodes.revoked) return this.#revoked(end)
      if (!this.#stopping) await this.#pause(end)
    }
    return { reason: 'stopped', message: 'The agent was asked to stop.' }
  }

  async #oneSession(): Promise<SessionEnd> {
    const { identity, machine, trust, outbox, clock, random, capabilities, onStatus, log } = this.#options
    const { server } = identity.enrollment
    onStatus(`connecting to ${server}`)
    const session = new Session({
      url: streamUrl(server),
      ca: trust.authorities,
      identity,
      machine,
      clock,
      random,
      capabilities,
      heartbeatMs: this.#pace.heartbeatIntervalMs,
      onSkew: (seconds) => this.#skewed(seconds),
      onMessage: (message) => this.#receive(session, message),
      onUnknown: (type) => this.#warnOfUnknown(type),
      onFault: (error) => log.error('could not process a message from the control plane', { error }),
    })
    this.#session = session
    const end = await session.ended
    this.#session = null
    outbox.close()
    return end
  }

  async #pause(end: SessionEnd): Promise<void> {
    const { clock, log, onStatus } = this.#options
    const delayMs = this.#backoff.delay(end, this.#pace.reconnectSpreadMs)
    const seconds = Math.ceil(delayMs / 1000)
    log.warn('no connection to the control plane', {
      reason: end.message,
      code: end.code,
      retryInSeconds: seconds,
    })
    onStatus(`no connection: ${end.message} Retry in ${seconds} s.`)
    await new Promise<void>((resolve) => {
      const cancel = clock.after(delayMs, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  #revoked({ message }: SessionEnd): UplinkEnd {
    this.#options.log.error('an operator removed this node from the control plane: the agent is stopping', {
      reason: message,
    })
    return { reason: 'revoked', message }
  }

  #receive(session: Session, message: SessionMessage): void {
    const { outbox, deployments, log } = this.#options
    switch (message.type) {
      case 'welcome':
        return this.#welcomed(session, message.parked)
      case 'settings':
        return this.#settled(session, paceOf(message), message.ca)
      case 'ack':
        return this.#process(session, this.#acknowledged(message.sequence))
      case 'desired':
        return deployments.desire(message)
      case 'plan_request':
        return this.#process(session, deployments.plan(message))
      case 'request':
        return this.#process(session, this.#answer(message))
      case 'refused':
        log.warn('the control plane could not process a message', { of: message.of, reason: message.message })
        if (message.sequence !== undefined) outbox.refused(message.sequence, message.permanent)
        return
      case 'unsupported':
        return log.warn(
          'the control plane is older than this agent and does not support a message: upgrade the control plane',
          { of: message.of },
        )
    }
  }

  /** Runs work. A rejection ends the session, not the process. */
  #process(session: Session, work: Promise<void>): void {
    work.catch((error: unknown) => session.fail(error))
  }

  #welcomed(session: Session, parked: string | null): void {
    const { outbox, deployments, identity, log, onStatus } = this.#options
    const { server, node_id: node } = identity.enrollment
    if (parked !== null) {
      log.error('another machine uses the identity of this node: this machine sends no reports', { reason: parked })
      onStatus(`not reporting: ${parked}`)
      return outbox.park()
    }
    log.info('connected to the control plane', { server, node })
    onStatus(`connected to ${server}`)
    outbox.open(session)
    deployments.connected()
    this.#process(session, this.#options.onConnected())
  }

  async #answer(request: RequestMessage): Promise<void> {
    const { requests, outbox } = this.#options
    outbox.send(await answerRequest(requests, request))
  }

  async #acknowledged(sequence: number): Promise<void> {
    const { outbox, deployments } = this.#options
    await outbox.acknowledged(sequence)
    deployments.acknowledged()
  }

  #settled(session: Session, pace: Pace, authorities: readonly string[]): void {
    this.#pace = pace
    this.#options.onPace(pace)
    this.#options.outbox.sendHistory()
    this.#process(session, this.#options.trust.learn(authorities, session.certificates))
  }

  #skewed(seconds: number): void {
    const remedy = clockRemedy(seconds)
    if (remedy !== null) this.#options.log.warn(remedy)
  }

  #warnOfUnknown(type: string): void {
    if (this.#unknown.has(type) || this.#unknown.size >= maxUnknownTypes) return
    this.#unknown.add(type)
    this.#options.log.warn('the control plane sent a message that this agent cannot read', { type })
  }
}

function streamUrl(server: string): string {
  return `${server.replace(/\/$/, '').replace(/^http/, 'ws')}/agent/v1/stream`
}
