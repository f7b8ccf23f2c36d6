import type { AgentMessage, AppliedMessage, DesiredState } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Applier, Outcome } from './applier.js'
import { Lane } from './deployment-queue.js'
import type { DeploymentRecord, RecordFile } from './record.js'

const desired: DesiredState = { kind: 'user_db', users: [] }
const message = (generation: number) => ({ type: 'desired' as const, generation, desired })
const applied = (generation: number): Outcome => ({ outcome: 'applied', in_force: generation, message: '', files: [] })
const plan = { files: [], daemons: [], mounts: { started: [], stopped: [] }, notes: [] }

/** A lane on a record in memory, whose applier does what a test says and whose control plane acknowledges at once. */
class Bench {
  record: DeploymentRecord = { node: 'a', generation: 0, in_force: 0, desired: null, answer: null }
  readonly begun: number[] = []
  readonly answers: Omit<AppliedMessage, 'sequence'>[] = []
  readonly told: AgentMessage[] = []
  readonly faults: string[] = []
  drift: { subject: string; message: string; diff: string }[] = []
  apply: (generation: number) => Promise<Outcome> = async (generation) => applied(generation)
  isAnswering = false
  isDiskFull = false
  hasApplier = true

  readonly #file: RecordFile = {
    read: async () => this.record,
    write: async (record) => {
      if (this.isDiskFull) throw new Error('ENOSPC')
      this.record = record
    },
  }

  open(): Promise<Lane> {
    const silent = () => {}
    return Lane.open({
      kind: 'user_db',
      applier: this.hasApplier ? this.#applier() : undefined,
      file: this.#file,
      tell: (said) => this.told.push(said),
      answer: async (answer) => void this.answers.push(answer),
      isAnswering: () => this.isAnswering,
      log: { debug: silent, info: silent, warn: silent, error: (said) => void this.faults.push(said) },
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

/** Until nothing of a lane is under way. */
const settled = (lane: Lane) => lane.plan(desired)

let bench: Bench
beforeEach(() => {
  bench = new Bench()
})

describe('a lane', () => {
  it('does a generation, writes down how it ended and answers', async () => {
    const lane = await bench.open()
    lane.desire(message(1))
    await settled(lane)
    expect(bench.answers).toEqual([{ type: 'applied', kind: 'user_db', generation: 1, ...applied(1) }])
    expect(bench.told).toContainEqual({ type: 'progress', kind: 'user_db', generation: 1, state: 'planned' })
    expect(bench.record).toMatchObject({ generation: 1, in_force: 1, desired: null })
  })

  it('does one at a time, and of those that come meanwhile only the newest', async () => {
    let release = () => {}
    bench.apply = async (generation) => {
      if (generation === 1) await new Promise<void>((resolve) => (release = resolve))
      return applied(generation)
    }
    const lane = await bench.open()
    lane.desire(message(1))
    await expect.poll(() => bench.begun).toEqual([1])
    for (const generation of [2, 4, 3]) lane.desire(message(generation))
    release()
    await settled(lane)
    expect(bench.begun).toEqual([1, 4])
    expect(bench.record.in_force).toBe(4)
  })

  it('does the same generation once, and answers for it again', async () => {
    const lane = await bench.open()
    for (let time = 0; time < 100; time++) {
      lane.desire(message(1))
      await settled(lane)
    }
    expect(bench.begun).toEqual([1])
    expect(bench.answers).toHaveLength(100)
    expect(new Set(bench.answers.map(({ generation }) => generation))).toEqual(new Set([1]))
  })

  it('keeps the state of a generation that is incomplete, and applies it again until it is complete', async () => {
    const incomplete = { outcome: 'failed', in_force: 0, partly: true, isIncomplete: true } as const
    bench.apply = async () => ({ ...incomplete, message: 'b is missing.', files: [] })
    const lane = await bench.open()
    lane.complete()
    lane.desire(message(1))
    await settled(lane)
    expect(bench.record).toMatchObject({ desired, answer: { message: 'b is missing.' } })
    bench.isAnswering = true
    lane.complete()
    await settled(lane)
    bench.apply = async () => ({ outcome: 'failed', in_force: 0, message: 'Swift is away.', files: [] })
    lane.complete()
    await settled(lane)
    expect([bench.begun, bench.answers.map(({ outcome }) => outcome)]).toEqual([[1, 1, 1], ['failed']])
    bench.apply = async (generation) => applied(generation)
    await settled(await bench.open())
    expect(bench.record).toMatchObject({ in_force: 1, desired: null })
    expect(bench.answers.map(({ outcome }) => outcome)).toEqual(['failed', 'applied'])
    expect(bench.answers.map((answer) => 'isIncomplete' in answer)).toEqual([false, false])
  })

  it('does not answer twice while the first answer waits to be acknowledged', async () => {
    const lane = await bench.open()
    lane.desire(message(1))
    await settled(lane)
    bench.isAnswering = true
    lane.desire(message(1))
    await settled(lane)
    expect(bench.answers).toHaveLength(1)
  })

  it('answers for its last generation where a lower one is asked for, and does nothing', async () => {
    bench.record = { ...bench.record, generation: 8, in_force: 8, answer: { ...applied(8), files: [] } }
    const lane = await bench.open()
    lane.desire(message(5))
    await settled(lane)
    expect(bench.begun).toEqual([])
    expect(bench.answers).toMatchObject([{ generation: 8, in_force: 8 }])
  })

  it('goes on with what it was killed in', async () => {
    bench.record = { ...bench.record, generation: 2, in_force: 1, desired }
    await settled(await bench.open())
    expect(bench.begun).toEqual([2])
    expect(bench.answers).toMatchObject([{ generation: 2, outcome: 'applied', in_force: 2 }])
  })

  it('leaves what waits for the next start once it is stopped', async () => {
    const lane = await bench.open()
    const stopping = lane.stop()
    lane.desire(message(1))
    await stopping
    expect(bench.begun).toEqual([])
  })
})

describe('a generation that fails', () => {
  it('leaves the one before in force', async () => {
    bench.record = { ...bench.record, generation: 1, in_force: 1, answer: { ...applied(1), files: [] } }
    bench.apply = () => Promise.reject(new Error('testparm says no.'))
    const lane = await bench.open()
    lane.desire(message(2))
    await settled(lane)
    expect(bench.answers).toMatchObject([
      { generation: 2, outcome: 'failed', in_force: 1, message: 'testparm says no.' },
    ])
    expect(bench.record).toMatchObject({ generation: 2, in_force: 1, desired: null })
  })

  it('says so where there is no applier', async () => {
    bench.hasApplier = false
    const lane = await bench.open()
    lane.desire(message(1))
    await expect(lane.plan(desired)).rejects.toThrow('There is no applier on this node for the kind user_db')
    expect(bench.answers).toMatchObject([{ outcome: 'failed', in_force: 0 }])
  })

  it('is not begun with when it cannot be written down', async () => {
    bench.isDiskFull = true
    const lane = await bench.open()
    lane.desire(message(1))
    await settled(lane)
    expect(bench.begun).toEqual([])
    expect(bench.answers).toMatchObject([{ generation: 1, outcome: 'failed', message: 'ENOSPC' }])
  })
})

describe('what drifted', () => {
  const item = { subject: '/etc/x', message: 'changed', diff: '+x\n' }
  const drifts = () => bench.told.filter(({ type }) => type === 'drift')

  it('is told when it changes, and anew in each session', async () => {
    const lane = await bench.open()
    lane.desire(message(1))
    await settled(lane)
    bench.drift = [item]
    lane.checkDrift()
    lane.checkDrift()
    await settled(lane)
    expect(drifts()).toMatchObject([{ items: [] }, { in_force: 1, items: [item] }])
    lane.connected()
    await settled(lane)
    expect(drifts()).toHaveLength(3)
  })

  it('is not told before the first generation, nor while an answer waits', async () => {
    const lane = await bench.open()
    bench.drift = [item]
    lane.checkDrift()
    await settled(lane)
    bench.isAnswering = true
    lane.desire(message(1))
    await settled(lane)
    expect(drifts()).toEqual([])
  })

  it('that cannot be looked for ends nothing', async () => {
    const lane = await bench.open()
    lane.desire(message(1))
    await settled(lane)
    Object.defineProperty(bench, 'drift', {
      get: () => {
        throw new Error('EIO')
      },
    })
    lane.checkDrift()
    lane.desire(message(2))
    await settled(lane)
    expect(bench.faults).not.toEqual([])
    expect(bench.begun).toEqual([1, 2])
  })
})
