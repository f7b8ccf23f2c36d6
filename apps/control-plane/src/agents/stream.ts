import type { IncomingMessage, Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeCodes } from '@roost/api-types/agent'
import type { ServerMessage, Settings } from '@roost/api-types/agent'
import type { Log } from '../lifecycle/log.js'
import type { Clock } from '@roost/runtime'
import { Admission } from './admission.js'
import { throttleAudit } from './audit-throttle.js'
import type { FleetAudit, Identities, PresenceStore } from './fleet.js'
import type { StreamHandlers } from './handlers.js'
import { NodeBudgets } from './limits/node-budgets.js'
import { createListener } from './listener.js'
import type { Listener } from './listener.js'
import { Messages } from './messages.js'
import { defaultStreamLimits } from './limits/stream-limits.js'
import type { StreamLimits } from './limits/stream-limits.js'
import { heartbeatIntervalMs, reconnectSlotMs, reconnectSpreadMs } from './limits/pace.js'
import { Presence } from './presence.js'
import { Registry } from './registry.js'
import { SessionOwnership } from './session-ownership.js'
import type { SessionListener, AuthenticatedAgent } from './session.js'
import { createSweep } from './sweep.js'
import type { Sweep } from './sweep.js'

/** Agents make a chunk of five minutes; 13 bits of mantissa are an error of 6.1e-5 at most. */
const historyWindow = { window_s: 300, mantissa: 13 }

/** Time for agents to disconnect when the control plane stops. */
const closeTimeoutMs = 1_000

export interface StreamOptions {
  readonly handlers: StreamHandlers
  readonly identities: Identities
  readonly presence: PresenceStore
  readonly audit: FleetAudit
  /** Returns the certificate authorities that agents must trust, in PEM. */
  readonly trustedCas: () => readonly string[]
  readonly addressOf: (request: IncomingMessage) => string
  readonly clock: Clock
  readonly log: Log
}

export interface StreamMetrics {
  /** Nodes with an own session, parked sessions, connections in the handshake. */
  readonly connected: number
  readonly parked: number
  readonly handshakes: number
  /** Since the start: received frames and messages, and refused ones. */
  readonly frames: number
  readonly messages: number
  readonly refused: number
}

/** The stream of all agents. */
export class AgentStream {
  readonly #options: StreamOptions
  readonly #limits: StreamLimits
  readonly #registry = new Registry()
  readonly #presence: Presence
  readonly #messages: Messages
  readonly #admission: Admission
  readonly #listener: Listener
  readonly #sweep: Sweep

  constructor(options: StreamOptions, limits: Partial<StreamLimits> = {}) {
    const { clock, log, handlers, identities, addressOf } = options
    this.#options = options
    this.#limits = { ...defaultStreamLimits, ...limits }
    const registry = this.#registry
    const recordEvent = throttleAudit(options.audit, clock, log)
    const settings = () => this.#settings()
    const retryAfterMs = () => reconnectSlotMs(0, 1, this.#spreadMs())
    const presence = new Presence(options.presence, this.#limits.heartbeatMs, clock, log)
    const budgets = new NodeBudgets(this.#limits, clock)
    const messages = new Messages({ handlers, recordEvent, budgets, maxLargeBytes: this.#limits.maxLargeBytes, log })
    const ownership = new SessionOwnership({
      registry,
      presence,
      handlers,
      recordEvent,
      log,
      probeMs: this.#limits.probeMs,
    })
    const listener: SessionListener = {
      receive: (session, data, isBinary) => messages.receive(session, data, isBinary),
      wait: (session) => budgets.wait(session),
      owed: (session) => budgets.charge(session, 0, 0),
      violated: (session) => budgets.chargeViolation(session),
      ended: (session, code) => {
        ownership.release(session)
        presence.disconnected(session.agent.nodeId)
        log.debug({ nodeId: session.agent.nodeId, code }, 'session ended')
      },
      monotonic: () => clock.monotonic(),
    }
    const admission = new Admission(
      { identities, presence, ownership, listener, settings, retryAfterMs, recordEvent, clock, log },
      this.#limits,
    )
    this.#presence = presence
    this.#messages = messages
    this.#admission = admission
    this.#sweep = createSweep({ registry, presence, ownership, settings, clock }, this.#limits.heartbeatMs)
    this.#listener = createListener(
      { addressOf, retryAfterMs, accept: (socket, address) => admission.accept(socket, address) },
      this.#limits,
    )
  }

  /** Loads the presence of nodes, and starts the timer. */
  async start(): Promise<void> {
    await this.#presence.load()
    this.#sweep.start()
  }

  attach(server: HttpServer | HttpsServer): void {
    this.#listener.attach(server)
  }

  isConnected(nodeId: number): boolean {
    return this.#registry.own(nodeId)?.isOpen ?? false
  }

  /** Returns true for 30 s after the end of the node's session, or after a start for a node that was online. */
  mayReconnect(nodeId: number): boolean {
    return this.#presence.mayReconnect(nodeId)
  }

  /** Returns the agent of the node's own session. */
  agentOf(nodeId: number): AuthenticatedAgent | undefined {
    return this.#registry.own(nodeId)?.agent
  }

  /** Sends a message to the node's own session, if there is one. */
  send(nodeId: number, message: ServerMessage): void {
    this.#registry.own(nodeId)?.send(message)
  }

  /** Ends the sessions of a removed or replaced node at once, with 4005. */
  revoke(nodeId: number): void {
    this.#admission.revoke(nodeId)
    this.#presence.forget(nodeId)
    this.#registry.own(nodeId)?.revoke()
    for (const session of this.#registry.parked(nodeId)) session.revoke()
  }

  metrics(): StreamMetrics {
    return {
      connected: this.#registry.size,
      parked: this.#registry.parkedCount,
      handshakes: this.#listener.handshakes,
      ...this.#messages.counts,
    }
  }

  /** Disconnects all agents, each with its own time to reconnect. Call it before the HTTP server closes. */
  async close(): Promise<void> {
    const { clock } = this.#options
    this.#listener.close()
    this.#sweep.stop()
    const sessions = [...this.#registry.all()]
    for (const [index, session] of sessions.entries()) {
      const retryAfterMs = reconnectSlotMs(index, sessions.length, this.#spreadMs())
      session.close(closeCodes.serviceRestart, 'The control plane is stopping.', retryAfterMs)
    }
    for (const end = clock.monotonic() + closeTimeoutMs; this.#registry.size > 0 && clock.monotonic() < end;)
      await sleep(10)
    for (const session of this.#registry.all()) session.terminate()
    await Promise.all([this.#messages.close(), this.#presence.flush()])
  }

  #settings(): Settings {
    return {
      type: 'settings',
      report_interval_ms: this.#limits.reportIntervalMs,
      heartbeat_interval_ms: heartbeatIntervalMs(this.#presence.size, this.#limits.heartbeatMs),
      inventory_interval_ms: this.#limits.inventoryIntervalMs,
      reconnect_spread_ms: this.#spreadMs(),
      ...(this.#options.handlers.keepsHistory() ? { history: historyWindow } : {}),
      ca: [...this.#options.trustedCas()],
    }
  }

  #spreadMs(): number {
    return reconnectSpreadMs(this.#presence.size, this.#limits.spreadPerNodeMs)
  }
}
