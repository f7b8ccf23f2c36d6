import {
  type AgentMessage,
  type AppliedMessage,
  type DeploymentKind,
  type DeploymentPlan,
  type DesiredMessage,
  type DriftedItem,
  type SentState,
  readDesiredState,
} from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import { errorText, type Log, SerialQueue } from '@roost/runtime'
import type { Applier, Outcome } from './applier.js'
import { truncateDriftDiffs, truncatePlanDiffs } from './truncate-diffs.js'
import { answered, type DeploymentRecord, type RecordFile } from './record.js'

export interface DeploymentQueueOptions {
  readonly kind: DeploymentKind
  readonly applier: Applier | undefined
  readonly file: RecordFile
  /** Sends a message now; it is lost when there is no connection. */
  readonly send: (message: AgentMessage) => void
  /** Delivers an answer until it is acknowledged; it supersedes an earlier answer of the kind. */
  readonly answer: (message: Omit<AppliedMessage, 'sequence'>) => Promise<void>
  /** Returns true while an answer waits to be acknowledged. */
  readonly isAnswering: () => boolean
  readonly log: Log
}

/** Applies the deployments of one kind one after the other. */
export class DeploymentQueue {
  readonly #options: DeploymentQueueOptions
  #record: DeploymentRecord
  #next: DesiredMessage | null = null
  /** The drift that was reported in this session, as JSON. */
  #reported: string | null = null
  /** The generation that was answered last. */
  #answered = 0
  readonly #queue = new SerialQueue()
  #stopped = false

  private constructor(options: DeploymentQueueOptions, record: DeploymentRecord) {
    this.#options = options
    this.#record = record
    this.#enqueue(() => (record.answer === null ? this.#resume() : this.#complete()))
  }

  /** Opens the queue, and continues the deployment during which an earlier process was killed. */
  static async open(options: DeploymentQueueOptions): Promise<DeploymentQueue> {
    return new DeploymentQueue(options, await options.file.read())
  }

  /** True while a generation is applied or waits for it. */
  get isBusy(): boolean {
    const { desired, answer } = this.#record
    return this.#next !== null || (desired !== null && answer === null)
  }

  /** Queues a generation. Only the newest of those that arrive during a deployment is kept. */
  desire(message: DesiredMessage): void {
    if (this.#next !== null && this.#next.generation >= message.generation) return
    this.#next = message
    this.#enqueue(() => this.#applyNext())
  }

  /** Makes a plan once the queued work has ended. */
  plan(desired: SentState): Promise<DeploymentPlan> {
    return new Promise((resolve, reject) => {
      this.#enqueue(() => this.#plan(desired).then(resolve, reject))
    })
  }

  /** Starts a session: drift is reported again. */
  connected(): void {
    this.#reported = null
    this.checkDrift()
  }

  /** Reports drift from the generation in force when it has changed. */
  checkDrift(): void {
    this.#enqueue(() => this.#drift())
  }

  /** Checks for drift when something changes; returns a function that stops it. */
  watch(): () => void {
    return this.#options.applier?.watch?.(() => this.checkDrift()) ?? (() => {})
  }

  /** Applies the last generation again when a part of it was left out. */
  complete(): void {
    this.#enqueue(() => this.#complete())
  }

  /** Waits for the work in progress; queued work is continued after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#queue.settled()
  }

  #enqueue(work: () => Promise<void>): void {
    void this.#queue.run(() => this.#process(work))
  }

  async #process(work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return
    try {
      await work()
    } catch (error) {
      this.#options.log.error('could not process a deployment', { kind: this.#options.kind, error })
    }
  }

  async #applyNext(): Promise<void> {
    const next = this.#next
    this.#next = null
    if (next === null) return
    if (next.generation > this.#record.generation) return this.#begin(next)
    // A lower number comes from a control plane whose database was restored: the answer gives it this node's generation.
    await this.#sendAnswer()
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
    const { generation, answer } = this.#record
    if (answer === null || this.#next !== null) return
    const outcome = await this.#completed()
    if (outcome === null) return
    if (outcome.message === answer.message && outcome.outcome === answer.outcome) return
    this.#options.log.info('retried a deployment', {
      kind: this.#options.kind,
      generation,
      outcome: outcome.outcome,
    })
    this.#answered = 0
    await this.#end(outcome)
    await this.#drift()
  }

  /** Returns the new outcome; null if nothing was left out, or if the attempt failed for another reason and the next one may not. */
  async #completed(): Promise<Outcome | null> {
    const { desired, generation } = this.#record
    if (desired === null) return (await this.#options.applier?.complete?.()) ?? null
    const outcome = await this.#outcome(desired, generation, () => {})
    return outcome.outcome === 'applied' || outcome.isIncomplete === true ? outcome : null
  }

  async #apply(desired: SentState, generation: number): Promise<void> {
    const { kind, send, log } = this.#options
    log.info('deployment started', { kind, generation })
    const outcome = await this.#outcome(desired, generation, (state) =>
      send({ type: 'progress', kind, generation, state }),
    )
    log.info('deployment ended', { kind, generation, outcome: outcome.outcome, reason: outcome.message })
    await this.#end(outcome)
    await this.#drift()
  }

  async #outcome(desired: SentState, generation: number, progress: (state: 'planned' | 'staged') => void) {
    try {
      return await this.#applier().apply(readDesiredState(desired), generation, progress)
    } catch (error) {
      return this.#failure(error)
    }
  }

  /** Saves the answer before it is sent. If it is lost, it is sent again when the control plane asks again. */
  async #end(answer: Outcome): Promise<void> {
    const { file, log, kind } = this.#options
    this.#record = answered(this.#record, answer)
    try {
      await file.write(this.#record)
    } catch (error) {
      log.error('could not save the result of a deployment, which will be applied again after a restart', {
        kind,
        error,
      })
    }
    fp('agent.apply.beforeAck')
    await this.#sendAnswer()
  }

  async #sendAnswer(): Promise<void> {
    const { kind, answer, isAnswering } = this.#options
    const { generation, answer: last } = this.#record
    if (last === null) return
    if (!isAnswering() || this.#answered !== generation) await answer({ type: 'applied', kind, generation, ...last })
    this.#answered = generation
  }

  async #plan(desired: SentState): Promise<DeploymentPlan> {
    return truncatePlanDiffs(await this.#applier().plan(readDesiredState(desired)))
  }

  async #drift(): Promise<void> {
    const { kind, applier, isAnswering, send } = this.#options
    // The control plane ignores drift until it knows which generation is in force.
    if (applier === undefined || this.#record.in_force === 0 || isAnswering()) return
    const items: DriftedItem[] = truncateDriftDiffs(await applier.drift())
    const { in_force } = this.#record
    const text = JSON.stringify([in_force, items])
    if (text === this.#reported) return
    this.#reported = text
    send({ type: 'drift', kind, in_force, items })
  }

  #applier(): Applier {
    const { applier, kind } = this.#options
    if (applier !== undefined) return applier
    throw new Error(`This agent cannot apply deployments of the kind ${kind}. Upgrade the agent.`)
  }

  #failure(error: unknown): Outcome {
    return { outcome: 'failed', in_force: this.#record.in_force, message: errorText(error), files: [] }
  }
}
