import type { Session } from './session.js'

/** The sessions of this process: at most one a node is the node's own, the others are parked. */
export class Registry {
  readonly #own = new Map<number, Session>()
  readonly #parked = new Map<number, Set<Session>>()

  /** Nodes that have a session of their own here. */
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

  /** Nodes of which a session is parked. */
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

  take(session: Session): void {
    this.#own.set(session.speaker.nodeId, session)
  }

  park(session: Session): void {
    const { nodeId } = session.speaker
    const sessions = this.#parked.get(nodeId) ?? new Set()
    sessions.add(session)
    this.#parked.set(nodeId, sessions)
  }

  /** Answers what the session was, `neither` when another session had replaced it before. */
  remove(session: Session): 'own' | 'parked' | 'neither' {
    const { nodeId } = session.speaker
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
