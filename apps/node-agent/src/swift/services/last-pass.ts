import type { SlowFile } from '../../collectors/engine/slow-files.js'

export type CacheName = 'account' | 'container' | 'object'

/** A key of a recon cache that says when a daemon completed its last pass. */
export interface LastPass {
  readonly cache: CacheName
  readonly key: string
  /** `time`: Unix seconds. `result`: no time, but another value after each pass. `elsewhere`: its age is judged elsewhere. */
  readonly is: 'time' | 'result' | 'elsewhere'
}

/** The recon caches of a node as they were read. */
export interface ReconCaches {
  /** Seconds since a cache was written; null while unknown. */
  ageOf(cache: CacheName): number | null
  /** True if the daemon has ever written a result. */
  has(pass: LastPass): boolean
  /** Seconds since the last pass, at least; null while unknown. */
  passAge(pass: LastPass): number | null
}

/** Remembers results that have no time: their age counts from the reading that first had them. */
export class PassMemory {
  readonly #results = new Map<string, { readonly text: string; readonly sinceMs: number }>()

  /** Describes caches that were read at `nowMs` Unix time, `monotonicMs` on the clock that is never set. */
  describe(files: ReadonlyMap<CacheName, SlowFile>, nowMs: number, monotonicMs: number): ReconCaches {
    const parsed = new Map([...files].map(([cache, { text }]) => [cache, fieldsOf(text)]))
    const valueOf = ({ cache, key }: LastPass): unknown => parsed.get(cache)?.[key] ?? undefined
    return {
      ageOf(cache) {
        const age = (nowMs - (files.get(cache)?.modifiedAt ?? Number.NaN)) / 1_000
        return Number.isFinite(age) ? Math.max(0, age) : null
      },
      has: (pass) => valueOf(pass) !== undefined,
      passAge: (pass) => {
        const value = valueOf(pass)
        if (value === undefined || pass.is === 'elsewhere') return null
        if (pass.is === 'time') return typeof value === 'number' ? Math.max(0, nowMs / 1_000 - value) : null
        return (monotonicMs - this.#since(pass, JSON.stringify(value), monotonicMs)) / 1_000
      },
    }
  }

  #since({ cache, key }: LastPass, text: string, monotonicMs: number): number {
    const name = `${cache} ${key}`
    const known = this.#results.get(name)
    if (known?.text === text) return known.sinceMs
    this.#results.set(name, { text, sinceMs: monotonicMs })
    return monotonicMs
  }
}

function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
