import type { Session } from './session.js'

/** The sessions of this process: each node has at most one own session, others are parked. */
export class Registry {
  readonly #own = new Map<number, Session>()
  readonly #parked = new Map<number, Set<Session>>()

  /** The number of nodes with an own session. */
  get size(): number {
    return this.#own.size
  }

  get parkedCount(): number {
    let count = 0
    for (const sessions of this.#parked.values()) count += sessions.size
    return count
  }

  own(nodeId: number): Session | undefined {
    return this.#own.get(nodeId)
  }

  parked(nodeId: number): readonly Session[] {
    return [...(this.#parked.get(nodeId) ?? [])]
  }

  /** Returns the nodes with parked sessions. */
  parkedNodes(): readonly number[] {
    return [...this.#parked.keys()]
  }

  ownSessions(): IterableIterator<Session> {
    return this.#own.values()
  }

  *all(): Generator<Session> {
    yield* this.#own.values()
    for (const sessions of this.#parked.values()) yield* sessions
  }

  assign(session: Session): void {
    this.#own.set(session.agent.nodeId, session)
  }

  park(session: Session): void {
    const { nodeId } = session.agent
    const sessions = this.#parked.get(nodeId) ?? new Set()
    sessions.add(session)
    this.#parked.set(nodeId, sessions)
  }

  /** Removes a session and returns its kind; `neither` if another session had replaced it. */
  remove(session: Session): 'own' | 'parked' | 'neither' {
    const { nodeId } = session.agent
    if (this.#own.get(nodeId) === session) {
      this.#own.delete(nodeId)
      return 'own'
    }
    const sessions = this.#parked.get(nodeId)
    if (!sessions?.delete(session)) return 'neither'
    if (sessions.size === 0) this.#parked.delete(nodeId)
    return 'parked'
  }
}
