import { type DeploymentPlan, type DesiredMessage, type SentState, readDesiredState } from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import { errorText, SerialQueue } from '@roost/runtime'
import type { Applier, Outcome } from './applier.js'
import { formerFault, isReturning, isWaiting, remainingMs, returned, returning, waiting } from './confirmation.js'
import { createDriftReports, type DriftReports } from './drift-reports.js'
import { truncatePlanDiffs } from './truncate-diffs.js'
import type { DeploymentQueueOptions } from './queue-options.js'
import { answered, type DeploymentRecord } from './record.js'

/** Applies the deployments of one kind one after the other. */
export class DeploymentQueue {
  readonly #options: DeploymentQueueOptions
  #record: DeploymentRecord
  #next: DesiredMessage | null = null
  readonly #driftReports: DriftReports
  /** The generation that was answered last. */
  #answered = 0
  readonly #queue = new SerialQueue()
  #stopped = false
  #endWindow = () => {}

  private constructor(options: DeploymentQueueOptions, record: DeploymentRecord) {
    this.#options = options
    this.#record = record
    this.#driftReports = createDriftReports(options)
    const isLate = remainingMs(record, options.clock.now()) === 0
    if (record.answer === null) this.#enqueue(() => this.#resume())
    else this.#enqueue(() => (isLate ? this.#return() : this.#complete()))
    if (!isLate) this.#startWindow()
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
    if (this.#next !== null && this.#next.generation > message.generation) return
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
    this.#driftReports.connected()
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
    this.#endWindow()
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
    if (next.generation === this.#record.generation && next.confirm === undefined) await this.#confirm()
    // A lower number comes from a control plane whose database was restored: the answer gives it this node's generation.
    await this.#sendAnswer()
  }

  async #begin({ generation, desired, confirm }: DesiredMessage): Promise<void> {
    this.#endWindow()
    const fault = formerFault(this.#record, confirm)
    const asked = fault === undefined && confirm !== undefined ? { ...confirm, since: null } : null
    const record = { ...this.#record, generation, desired, answer: null, confirm: asked }
    try {
      await this.#options.file.write(record)
    } catch (error) {
      this.#record = record
      return this.#end(this.#failure(error))
    }
    this.#record = record
    if (fault !== undefined) return this.#end(this.#failure(new Error(fault)))
    await this.#apply(desired, generation)
  }

  async #resume(): Promise<void> {
    const { desired, generation } = this.#record
    if (desired !== null) await this.#apply(desired, generation)
  }

  async #complete(): Promise<void> {
    const { generation, answer } = this.#record
    if (isReturning(this.#record)) return this.#return()
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
    this.#record = waiting(answered(this.#record, answer), this.#options.clock.now())
    this.#startWindow()
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
    const unconfirmed = isWaiting(this.#record) ? { unconfirmed: true } : {}
    if (!isAnswering() || this.#answered !== generation)
      await answer({ type: 'applied', kind, generation, ...last, ...unconfirmed })
    this.#answered = generation
  }

  /** The generation came again without its confirmation: it stays. */
  async #confirm(): Promise<void> {
    const { kind, file, log } = this.#options
    if (!isWaiting(this.#record)) return
    const record = { ...this.#record, confirm: null }
    await file.write(record)
    this.#endWindow()
    this.#record = record
    this.#answered = 0
    log.info('deployment confirmed', { kind, generation: record.generation })
  }

  /** Counts the time of a generation that must be confirmed. */
  #startWindow(): void {
    this.#endWindow()
    const { clock } = this.#options
    const leftMs = remainingMs(this.#record, clock.now())
    if (leftMs !== null) this.#endWindow = clock.after(leftMs, () => this.#enqueue(() => this.#return()))
  }

  /** Returns to the former generation. It is tried again with every check until it succeeds. */
  async #return(): Promise<void> {
    const { kind, file, log } = this.#options
    const { confirm, answer } = this.#record
    if (confirm === undefined || confirm === null) return
    this.#record = returning(this.#record, confirm)
    // From here on no confirmation is accepted, also after a kill.
    await file.write(this.#record).catch((error: unknown) => log.error('could not save the return', { kind, error }))
    const { generation, desired } = confirm.former
    const outcome = returned(confirm, await this.#outcome(desired, generation, () => {}))
    if (outcome.message === answer?.message && outcome.outcome === answer.outcome) return
    log.warn('deployment not confirmed', { kind, outcome: outcome.outcome, reason: outcome.message })
    this.#answered = 0
    await this.#end(outcome)
    await this.#drift()
  }

  async #plan(desired: SentState): Promise<DeploymentPlan> {
    return truncatePlanDiffs(await this.#applier().plan(readDesiredState(desired)))
  }

  #drift(): Promise<void> {
    return this.#driftReports.report(this.#record.in_force)
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
