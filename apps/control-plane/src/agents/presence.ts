import type { NodeState } from '@roost/api-types/rest'
import type { Log } from '../lifecycle/log.js'
import type { Clock } from '@roost/runtime'
import { logged } from '../services/errors.js'
import type { PresenceRow, PresenceStore } from './fleet.js'
import { heartbeatIntervalMs } from './limits/pace.js'
import type { AuthenticatedAgent } from './session.js'

/** Missed heartbeats after which a node is stale, and offline. */
export const staleAfter = 3
export const offlineAfter = 6

/** Interval of writing `last_seen` while nothing else changes. */
const lastSeenEveryMs = 15_000
const rowsAtOnce = 1_000
/** A row that cannot be written for so long is dropped: it is locked, or its node was removed. */
const maxMissedMs = 60_000
/** Agents connect again within this time after a restart of theirs or of the control plane. */
const reconnectMs = 30_000

type Hello = Pick<PresenceRow, 'agentVersion' | 'machineId' | 'bootId'>

interface Entry {
  readonly nodeId: number
  /** Monotonic time of the last message; for nodes from the store, of reading the store. */
  lastHeard: number
  /** Monotonic time of the end of the last session. */
  disconnectedAt: number
  patienceMs: number
  /** Set while another machine with the same identity is parked. */
  duplicate: boolean
  /** Set when an incompatible agent was refused. */
  incompatible: boolean
  /** True if this process has received a message of the node: otherwise there is no time to write. */
  heard: boolean
  /** The state as last written. */
  written: NodeState | undefined
  writtenHeard: number
  writtenAt: number
  /** The last hello, until it is written. */
  hello: Hello | undefined
  /** Monotonic time since which the row cannot be written. */
  missedSince: number | undefined
}

/**
 * Keeps the presence of the nodes that are not offline in memory, and writes it in batches: a change of state with the next
 * tick, that of a node that was not present at once, `last_seen` every 15 s.
 */
export class Presence {
  readonly #entries = new Map<number, Entry>()
  readonly #store: PresenceStore
  readonly #clock: Clock
  readonly #log: Log
  readonly #baseMs: number
  #isFailing = false
  #writing: Promise<void> | undefined

  /** `baseMs` is the heartbeat of nodes that have not received another. */
  constructor(store: PresenceStore, baseMs: number, clock: Clock, log: Log) {
    this.#store = store
    this.#baseMs = baseMs
    this.#clock = clock
    this.#log = log
  }

  /** The number of nodes that are not offline, which determines the heartbeat interval. */
  get size(): number {
    return this.#entries.size
  }

  /** Loads the stored states. Silence counts from now, because nodes could not send anything while we were down. */
  async load(): Promise<void> {
    const rows = await this.#store.listPresent()
    for (const { nodeId, state } of rows) this.#entry(nodeId).written = state
    // A large fleet may still use the longer interval of the previous run.
    const patienceMs = heartbeatIntervalMs(rows.length, this.#baseMs)
    for (const entry of this.#entries.values()) entry.patienceMs = patienceMs
  }

  /** Records the start of the node's own session. */
  connected(agent: AuthenticatedAgent, heard: number, patienceMs: number): void {
    const entry = this.#entry(agent.nodeId)
    entry.incompatible = false
    entry.hello = agent
    this.heard(agent.nodeId, heard, patienceMs)
    // Somebody may wait for a node that is new. What a write under way has passed by is written by the next one.
    if (entry.written === undefined) void this.#flushAgain()
  }

  heard(nodeId: number, heard: number, patienceMs: number): void {
    const entry = this.#entry(nodeId)
    entry.lastHeard = heard
    entry.patienceMs = patienceMs
    entry.heard = true
  }

  /** Records the end of a session. */
  disconnected(nodeId: number): void {
    const entry = this.#entries.get(nodeId)
    if (entry) entry.disconnectedAt = this.#clock.monotonic()
  }

  duplicate(nodeId: number, duplicate: boolean): void {
    const entry = duplicate ? this.#entry(nodeId) : this.#entries.get(nodeId)
    if (entry) entry.duplicate = duplicate
  }

  /** Records the connection of an incompatible agent. */
  incompatible(nodeId: number, agentVersion: string): void {
    const entry = this.#entry(nodeId)
    entry.incompatible = true
    entry.heard = true
    entry.hello = { agentVersion, machineId: null, bootId: null }
  }

  /** Stops writing the presence of a removed node. */
  forget(nodeId: number): void {
    this.#entries.delete(nodeId)
  }

  /** Returns true if the node sent a message within six heartbeats, so that its machine may be reconnecting. */
  isAwaited(nodeId: number): boolean {
    const entry = this.#entries.get(nodeId)
    return entry !== undefined && this.#silent(entry) !== 'offline'
  }

  /** Returns true for 30 s after the node's last message, the end of its session, or the start of this process. */
  mayReconnect(nodeId: number): boolean {
    const entry = this.#entries.get(nodeId)
    if (entry === undefined) return false
    return this.#clock.monotonic() - Math.max(entry.lastHeard, entry.disconnectedAt) < reconnectMs
  }

  /** Writes changes, one write at a time. Failed rows are written with the next. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined))
    return this.#writing
  }

  async #flushAgain(): Promise<void> {
    await this.#writing
    await this.flush()
  }

  async #write(): Promise<void> {
    const due = [...this.#entries.values()].filter((entry) => this.#isDue(entry))
    for (let start = 0; start < due.length; start += rowsAtOnce)
      await this.#writeSome(due.slice(start, start + rowsAtOnce))
  }

  async #writeSome(entries: readonly Entry[]): Promise<void> {
    const rows = entries.map((entry) => ({ entry, row: this.#row(entry), heard: entry.lastHeard, hello: entry.hello }))
    try {
      const written = await this.#store.updatePresence(rows.map(({ row }) => row))
      this.#report(undefined)
      for (const { entry, row, heard, hello } of rows) {
        if (written.has(row.nodeId)) this.#settle(entry, row.state, heard, hello)
        else this.#miss(entry)
      }
    } catch (error) {
      this.#report(error)
    }
  }

  #miss(entry: Entry): void {
    const now = this.#clock.monotonic()
    entry.missedSince ??= now
    if (now - entry.missedSince > maxMissedMs) this.#entries.delete(entry.nodeId)
  }

  /** Logs once when writes begin to fail, and once when they work again. */
  #report(error: unknown): void {
    if ((error !== undefined) === this.#isFailing) return
    this.#isFailing = error !== undefined
    if (this.#isFailing) this.#log.warn(logged(error), 'could not save node presence, retrying')
    else this.#log.info('node presence is saved again')
  }

  #settle(entry: Entry, state: NodeState, heard: number, hello: Hello | undefined): void {
    entry.written = state
    entry.writtenHeard = heard
    entry.writtenAt = this.#clock.monotonic()
    entry.missedSince = undefined
    if (entry.hello === hello) entry.hello = undefined
    const isOver = (state === 'offline' || state === 'needs_upgrade') && !entry.duplicate
    if (isOver && this.#state(entry) === state) this.#entries.delete(entry.nodeId)
  }

  #isDue(entry: Entry): boolean {
    if (entry.hello || this.#state(entry) !== entry.written) return true
    return entry.lastHeard > entry.writtenHeard && this.#clock.monotonic() - entry.writtenAt >= lastSeenEveryMs
  }

  #row(entry: Entry): PresenceRow {
    const ago = this.#clock.monotonic() - entry.lastHeard
    return {
      nodeId: entry.nodeId,
      state: this.#state(entry),
      lastSeen: entry.heard ? new Date(this.#clock.now() - ago) : null,
      agentVersion: entry.hello?.agentVersion ?? null,
      machineId: entry.hello?.machineId ?? null,
      bootId: entry.hello?.bootId ?? null,
    }
  }

  #state(entry: Entry): NodeState {
    const silent = this.#silent(entry)
    if (entry.incompatible) return 'needs_upgrade'
    return entry.duplicate && silent !== 'offline' ? 'duplicate' : silent
  }

  #silent(entry: Entry): 'online' | 'stale' | 'offline' {
    const missed = (this.#clock.monotonic() - entry.lastHeard) / entry.patienceMs
    if (missed >= offlineAfter) return 'offline'
    return missed >= staleAfter ? 'stale' : 'online'
  }

  #entry(nodeId: number): Entry {
    let entry = this.#entries.get(nodeId)
    if (entry) return entry
    entry = {
      nodeId,
      lastHeard: this.#clock.monotonic(),
      disconnectedAt: -Infinity,
      patienceMs: this.#baseMs,
      duplicate: false,
      incompatible: false,
      heard: false,
      written: undefined,
      writtenHeard: -Infinity,
      writtenAt: -Infinity,
      hello: undefined,
      missedSince: undefined,
    }
    this.#entries.set(nodeId, entry)
    return entry
  }
}
