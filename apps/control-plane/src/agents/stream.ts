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
import { createListener } from './listener.js'
import type { Listener } from './listener.js'
import { Messages } from './messages.js'
import { defaultStreamOptions } from './options.js'
import type { StreamOptions } from './options.js'
import { heartbeatIntervalMs, reconnectSlotMs, reconnectSpreadMs } from './pace.js'
import { Presence } from './presence.js'
import { Registry } from './registry.js'
import { SessionOwnership } from './session-ownership.js'
import type { SessionListener, Speaker } from './session.js'
import { createSweep } from './sweep.js'
import type { Sweep } from './sweep.js'

/** How long agents get to say goodbye when the control plane stops. */
const goodbyeMs = 1_000

export interface StreamDeps {
  readonly handlers: StreamHandlers
  readonly identities: Identities
  readonly presence: PresenceStore
  readonly audit: FleetAudit
  /** The certificate authorities that agents are to trust, in PEM; read at each use. */
  readonly trustedCas: () => readonly string[]
  readonly addressOf: (request: IncomingMessage) => string
  readonly clock: Clock
  readonly log: Log
}

export interface StreamFigures {
  /** Nodes with a session of their own, parked sessions, connections that are not welcomed yet. */
  readonly connected: number
  readonly parked: number
  readonly greeting: number
  /** Since the start: what was heard, and what could not be taken. */
  readonly frames: number
  readonly messages: number
  readonly refused: number
}

/** The agents' side of the control plane. */
export class AgentStream {
  readonly #deps: StreamDeps
  readonly #options: StreamOptions
  readonly #registry = new Registry()
  readonly #presence: Presence
  readonly #messages: Messages
  readonly #admission: Admission
  readonly #listener: Listener
  readonly #sweep: Sweep

  constructor(deps: StreamDeps, options: Partial<StreamOptions> = {}) {
    const { clock, log, handlers, identities, addressOf } = deps
    this.#deps = deps
    this.#options = { ...defaultStreamOptions, ...options }
    const registry = this.#registry
    const note = throttleAudit(deps.audit, clock, log)
    const settings = () => this.#settings()
    const retryAfterMs = () => reconnectSlotMs(0, 1, this.#spreadMs())
    const presence = new Presence(deps.presence, this.#options.heartbeatMs, clock, log)
    const messages = new Messages({ handlers, note, clock, log })
    const ownership = new SessionOwnership({ registry, presence, handlers, note, log, probeMs: this.#options.probeMs })
    const listener: SessionListener = {
      receive: (session, data, isBinary) => messages.receive(session, data, isBinary),
      ended: (session, code) => {
        ownership.release(session)
        log.debug({ nodeId: session.speaker.nodeId, code }, 'a session ended')
      },
      monotonic: () => clock.monotonic(),
    }
    const admission = new Admission(
      { identities, presence, ownership, listener, settings, retryAfterMs, note, clock, log },
      this.#options,
    )
    this.#presence = presence
    this.#messages = messages
    this.#admission = admission
    this.#sweep = createSweep({ registry, presence, ownership, settings, clock }, this.#options.heartbeatMs)
    this.#listener = createListener(
      { addressOf, retryAfterMs, accept: (socket, address) => admission.accept(socket, address) },
      this.#options,
    )
  }

  /** Reads which nodes were there, and begins to watch over them. */
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

  /** The agent of the node's own session. */
  agentOf(nodeId: number): Speaker | undefined {
    return this.#registry.own(nodeId)?.speaker
  }

  /** Says it to the node's own session; to nobody where it has none. */
  send(nodeId: number, message: ServerMessage): void {
    this.#registry.own(nodeId)?.send(message)
  }

  /** The node was removed, or its place was given away: its sessions end with 4005 at once. */
  revoke(nodeId: number): void {
    this.#admission.revoke(nodeId)
    this.#presence.forget(nodeId)
    this.#registry.own(nodeId)?.revoke()
    for (const session of this.#registry.parked(nodeId)) session.revoke()
  }

  figures(): StreamFigures {
    return {
      connected: this.#registry.size,
      parked: this.#registry.parkedCount,
      greeting: this.#listener.greeting,
      ...this.#messages.counts,
    }
  }

  /** Sends every agent away, each with a moment of its own to come back. Call it before the HTTP server closes. */
  async close(): Promise<void> {
    const { clock } = this.#deps
    this.#listener.close()
    this.#sweep.stop()
    const sessions = [...this.#registry.all()]
    for (const [index, session] of sessions.entries()) {
      const retryAfterMs = reconnectSlotMs(index, sessions.length, this.#spreadMs())
      session.close(closeCodes.serviceRestart, 'The control plane is stopping.', retryAfterMs)
    }
    for (const end = clock.monotonic() + goodbyeMs; this.#registry.size > 0 && clock.monotonic() < end;) await sleep(10)
    for (const session of this.#registry.all()) session.terminate()
    await this.#presence.flush()
  }

  #settings(): Settings {
    return {
      type: 'settings',
      report_interval_ms: this.#options.reportIntervalMs,
      heartbeat_interval_ms: heartbeatIntervalMs(this.#presence.size, this.#options.heartbeatMs),
      inventory_interval_ms: this.#options.inventoryIntervalMs,
      reconnect_spread_ms: this.#spreadMs(),
      ca: [...this.#deps.trustedCas()],
    }
  }

  #spreadMs(): number {
    return reconnectSpreadMs(this.#presence.size, this.#options.spreadPerNodeMs)
  }
}
