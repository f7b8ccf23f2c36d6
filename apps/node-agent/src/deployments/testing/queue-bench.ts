import type { AgentMessage, AppliedMessage, DesiredState } from '@roost/api-types/agent'
import type { Applier, Outcome } from '../applier.js'
import { DeploymentQueue } from '../deployment-queue.js'
import type { DeploymentRecord, RecordFile } from '../record.js'

export const desired: DesiredState = { kind: 'user_db', users: [] }
export const message = (generation: number) => ({ type: 'desired' as const, generation, desired })
export const applied = (generation: number): Outcome => ({
  outcome: 'applied',
  in_force: generation,
  message: '',
  files: [],
})
const plan = { files: [], daemons: [], mounts: { started: [], stopped: [] }, notes: [] }

const silent = () => {}

/** A queue whose record is in memory, whose applier is set by the test and whose answers are acknowledged at once. */
export class Bench {
  record: DeploymentRecord = { node: 'a', generation: 0, in_force: 0, desired: null, answer: null }
  readonly begun: number[] = []
  readonly answers: Omit<AppliedMessage, 'sequence'>[] = []
  readonly sent: AgentMessage[] = []
  readonly faults: string[] = []
  drift: { subject: string; message: string; diff: string }[] = []
  apply: (generation: number) => Promise<Outcome> = async (generation) => applied(generation)
  isAnswering = false
  isDiskFull = false
  now = 1_000_000
  /** Timers that run, with their delay. */
  readonly timers = new Map<() => void, number>()
  hasApplier = true

  readonly #file: RecordFile = {
    read: async () => this.record,
    write: async (record) => {
      if (this.isDiskFull) throw new Error('ENOSPC')
      this.record = record
    },
  }

  open(): Promise<DeploymentQueue> {
    return DeploymentQueue.open({
      kind: 'user_db',
      applier: this.hasApplier ? this.#applier() : undefined,
      file: this.#file,
      send: (message) => this.sent.push(message),
      answer: async (answer) => void this.answers.push(answer),
      isAnswering: () => this.isAnswering,
      clock: {
        now: () => this.now,
        after: (delayMs, callback) => {
          this.timers.set(callback, delayMs)
          return () => this.timers.delete(callback)
        },
      },
      log: { debug: silent, info: silent, warn: silent, error: (line) => void this.faults.push(line) },
    })
  }

  #applier(): Applier {
    return {
      kind: 'user_db',
      plan: async () => plan,
      apply: async (_desired, generation, progress) => {
        this.begun.push(generation)
        progress('planned')
        return this.apply(generation)
      },
      drift: async () => this.drift,
    }
  }
}

/** Waits until the queue is idle. */
export const settled = (queue: DeploymentQueue) => queue.plan(desired)
