import type { ChangeEvent, EventTopic } from '@roost/api-types/rest'

/** What has changed between two versions. `isIncomplete`: more than is kept. */
interface Entry {
  readonly version: number
  readonly changes: readonly ChangeEvent[]
  readonly isIncomplete: boolean
}

/** What a reader has missed. */
export interface Missed {
  readonly changes: readonly ChangeEvent[]
  readonly listAgain: readonly EventTopic[]
}

const maxChanges = 10_000
const maxEntries = 600
/** Changes of one topic in one answer: reading the list is shorter than more of them. */
const maxOfTopic = 100

/** The newest changes, in versions. Readers that are too far behind list again. */
export class ChangeLog {
  #version = 0
  #entries: Entry[] = []
  #size = 0

  get version(): number {
    return this.#version
  }

  add(changes: readonly ChangeEvent[], isIncomplete: boolean): void {
    if (changes.length === 0 && !isIncomplete) return
    this.#version += 1
    this.#entries.push({ version: this.#version, changes: isIncomplete ? [] : merged(changes), isIncomplete })
    this.#size += this.#entries.at(-1)?.changes.length ?? 0
    while (this.#size > maxChanges || this.#entries.length > maxEntries)
      this.#size -= this.#entries.shift()?.changes.length ?? 0
  }

  /** Makes every reader list again, where changes may have been missed. */
  interrupt(): void {
    this.#entries = []
    this.#size = 0
    this.add([], true)
  }

  /** Returns what has changed after a version, of some topics and of one cluster, or of all. */
  since(version: number, topics: ReadonlySet<EventTopic>, cluster: number | undefined): Missed {
    const missed = this.#entries.filter((entry) => entry.version > version)
    // Each version is an entry: fewer of them than versions have passed means that some are kept no longer.
    if (missed.length !== this.#version - version || missed.some(({ isIncomplete }) => isIncomplete))
      return { changes: [], listAgain: [...topics] }
    const isOf = (one: ChangeEvent) => cluster === undefined || one.cluster === cluster || one.cluster === null
    const wanted = missed.flatMap(({ changes }) => changes).filter((one) => topics.has(one.topic) && isOf(one))
    const changes = missed.length > 1 ? merged(wanted) : wanted
    const listAgain = [...topics].filter((topic) => changes.filter((one) => one.topic === topic).length > maxOfTopic)
    return { changes: changes.filter(({ topic }) => !listAgain.includes(topic)), listAgain }
  }
}

/** One change for each record: its last, with the fields of all. */
function merged(changes: readonly ChangeEvent[]): readonly ChangeEvent[] {
  const byRecord = new Map<string, ChangeEvent>()
  for (const now of changes) {
    const key = `${now.topic} ${now.resource} ${now.id}`
    const before = byRecord.get(key)
    byRecord.set(key, before === undefined ? now : joined(before, now))
  }
  return [...byRecord.values()]
}

function joined(before: ChangeEvent, now: ChangeEvent): ChangeEvent {
  if (now.change === 'removed') return now
  const fields = (before.fields ?? now.fields) ? { fields: { ...before.fields, ...now.fields } } : {}
  return { ...now, change: before.change === 'created' ? 'created' : now.change, ...fields }
}
