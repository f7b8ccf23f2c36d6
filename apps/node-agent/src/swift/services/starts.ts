/** Starts within this time count. */
const windowMs = 600_000

/** Counts the starts of one daemon after the first one that was seen. */
export class Starts {
  #processes = ''
  #unitRestarts: number | undefined
  #atMs: number[] = []

  /** True once a process of it was seen. */
  get wasSeen(): boolean {
    return this.#processes !== ''
  }

  /** `processes` identifies those that run now; empty when none does. `unitRestarts` is systemd's count, where it has one. */
  record(processes: string, unitRestarts: number | undefined, monotonicMs: number): void {
    const isStart = processes !== '' && this.wasSeen && processes !== this.#processes
    const byUnit = Math.max(0, (unitRestarts ?? 0) - (this.#unitRestarts ?? unitRestarts ?? 0))
    const count = Math.max(isStart ? 1 : 0, byUnit)
    for (let i = 0; i < Math.min(count, 100); i++) this.#atMs.push(monotonicMs)
    if (processes !== '') this.#processes = processes
    if (unitRestarts !== undefined) this.#unitRestarts = unitRestarts
    this.#atMs = this.#atMs.filter((at) => monotonicMs - at < windowMs)
  }

  get count(): number {
    return this.#atMs.length
  }
}
