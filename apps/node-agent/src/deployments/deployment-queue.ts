import type {
  AgentMessage,
  AppliedMessage,
  DeploymentPlan,
  DesiredMessage,
  DesiredState,
  DriftedItem,
} from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import type { Log } from '@roost/runtime'
import type { Applier, Outcome } from './applier.js'
import { fitDrift, fitPlan } from './truncate-diffs.js'
import { answered, type DeploymentRecord, type RecordFile } from './record.js'

export interface LaneOptions {
  readonly kind: DesiredState['kind']
  readonly applier: Applier | undefined
  readonly file: RecordFile
  /** Said now or never: lost without a connection. */
  readonly tell: (message: AgentMessage) => void
  /** Kept until the control plane has it; it takes the place of an earlier answer for the kind. */
  readonly answer: (message: Omit<AppliedMessage, 'sequence'>) => Promise<void>
  /** An answer still waits to be acknowledged. */
  readonly isAnswering: () => boolean
  readonly log: Log
}

/** The queue of deployments of one kind: they are applied one after the other. */
export class Lane {
  readonly #options: LaneOptions
  #record: DeploymentRecord
  #next: DesiredMessage | null = null
  /** What the control plane was told in this session, as JSON. */
  #told: string | null = null
  /** The generation whose answer was handed over last. */
  #answering = 0
  #work: Promise<void> = Promise.resolve()
  #stopped = false

  private constructor(options: LaneOptions, record: DeploymentRecord) {
    this.#options = options
    this.#record = record
    if (record.desired !== null) this.#enqueue(() => (record.answer === null ? this.#resume() : this.#complete()))
  }

  /** Continues the deployment during which an earlier process was killed. */
  static async open(options: LaneOptions): Promise<Lane> {
    return new Lane(options, await options.file.read())
  }

  /** While one is being applied, only the newest of those that arrive is kept. */
  desire(message: DesiredMessage): void {
    if (this.#next !== null && this.#next.generation >= message.generation) return
    this.#next = message
    this.#enqueue(() => this.#takeNext())
  }

  /** Makes a plan after the work that is already queued. */
  plan(desired: DesiredState): Promise<DeploymentPlan> {
    return new Promise((resolve, reject) => {
      this.#enqueue(() => this.#plan(desired).then(resolve, reject))
    })
  }

  /** A session has begun: what drifted is told anew. */
  connected(): void {
    this.#told = null
    this.checkDrift()
  }

  /** Tells what is not as the generation in force made it, when that has changed. */
  checkDrift(): void {
    this.#enqueue(() => this.#drift())
  }

  /** Checks for drift when something changes; returns a function that stops it. */
  watch(): () => void {
    return this.#options.applier?.watch?.(() => this.checkDrift()) ?? (() => {})
  }

  /** Tries again to complete the last generation, when a part of it was left out. */
  complete(): void {
    this.#enqueue(() => this.#complete())
  }

  /** Resolves when what is under way has ended; what waits is done after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#work
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#after(this.#work, work)
  }

  async #after(before: Promise<void>, work: () => Promise<void>): Promise<void> {
    await before
    if (this.#stopped) return
    try {
      await work()
    } catch (error) {
      this.#options.log.error('A deployment could not be worked on.', { kind: this.#options.kind, error })
    }
  }

  async #takeNext(): Promise<void> {
    const next = this.#next
    this.#next = null
    if (next === null) return
    if (next.generation > this.#record.generation) return this.#begin(next)
    // A lower number comes from a control plane whose database was put back: it learns here how far this node is.
    await this.#tellAnswer()
  }

  async #begin({ generation, desired }: DesiredMessage): Promise<void> {
    const record = { ...this.#record, generation, desired, answer: null }
    try {
      await this.#options.file.write(record)
    } catch (error) {
      this.#record = record
      return this.#end(this.#failure(error))
    }
    this.#record = record
    await this.#apply(desired, generation)
  }

  async #resume(): Promise<void> {
    const { desired, generation } = this.#record
    if (desired !== null) await this.#apply(desired, generation)
  }

  async #complete(): Promise<void> {
    const { desired, generation, answer } = this.#record
    if (desired === null || answer === null || this.#next !== null) return
    const outcome = await this.#outcome(desired, generation, () => {})
    // What fails now for another reason changes nothing: the next attempt may complete it.
    if (outcome.outcome !== 'applied' && outcome.isIncomplete !== true) return
    if (outcome.message === answer.message && outcome.outcome === answer.outcome) return
    this.#options.log.info('A deployment was tried again.', {
      kind: this.#options.kind,
      generation,
      outcome: outcome.outcome,
    })
    this.#answering = 0
    await this.#end(outcome)
    await this.#drift()
  }

  async #apply(desired: DesiredState, generation: number): Promise<void> {
    const { kind, tell, log } = this.#options
    log.info('A deployment begins.', { kind, generation })
    const outcome = await this.#outcome(desired, generation, (state) =>
      tell({ type: 'progress', kind, generation, state }),
    )
    log.info('A deployment has ended.', { kind, generation, outcome: outcome.outcome, reason: outcome.message })
    await this.#end(outcome)
    await this.#drift()
  }

  async #outcome(desired: DesiredState, generation: number, progress: (state: 'planned' | 'staged') => void) {
    try {
      return await this.#applier().apply(desired, generation, progress)
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** Written down before it is told: what is lost on the way is told again when the control plane asks again. */
  async #end(answer: Outcome): Promise<void> {
    const { file, log, kind } = this.#options
    this.#record = answered(this.#record, answer)
    try {
      await file.write(this.#record)
    } catch (error) {
      log.error('The end of a deployment cannot be written down; it is done again after a restart.', { kind, error })
    }
    fp('agent.apply.beforeAck')
    await this.#tellAnswer()
  }

  async #tellAnswer(): Promise<void> {
    const { kind, answer, isAnswering } = this.#options
    const { generation, answer: given } = this.#record
    if (given === null) return
    if (!isAnswering() || this.#answering !== generation) await answer({ type: 'applied', kind, generation, ...given })
    this.#answering = generation
  }

  async #plan(desired: DesiredState): Promise<DeploymentPlan> {
    return fitPlan(await this.#applier().plan(desired))
  }

  async #drift(): Promise<void> {
    const { kind, applier, isAnswering, tell } = this.#options
    // Until it knows which generation is in force, the control plane takes no word about its state.
    if (applier === undefined || this.#record.in_force === 0 || isAnswering()) return
    const items: DriftedItem[] = fitDrift(await applier.drift())
    const { in_force } = this.#record
    const text = JSON.stringify([in_force, items])
    if (text === this.#told) return
    this.#told = text
    tell({ type: 'drift', kind, in_force, items })
  }

  #applier(): Applier {
    const { applier, kind } = this.#options
    if (applier !== undefined) return applier
    throw new Error(`There is no applier on this node for the kind ${kind}: update the agent.`)
  }

  #failure(error: unknown): Outcome {
    const message = error instanceof Error ? error.message : String(error)
    return { outcome: 'failed', in_force: this.#record.in_force, message, files: [] }
  }
}
