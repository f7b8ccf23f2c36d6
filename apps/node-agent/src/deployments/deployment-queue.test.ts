import { beforeEach, describe, expect, it } from 'vitest'
import { applied, Bench, desired, message, settled } from './testing/queue-bench.js'

let bench: Bench
beforeEach(() => {
  bench = new Bench()
})

describe('a queue of deployments', () => {
  it('applies a generation, records the result and answers', async () => {
    const queue = await bench.open()
    queue.desire(message(1))
    await settled(queue)
    expect(bench.answers).toEqual([{ type: 'applied', kind: 'user_db', generation: 1, ...applied(1) }])
    expect(bench.sent).toContainEqual({ type: 'progress', kind: 'user_db', generation: 1, state: 'planned' })
    expect(bench.record).toMatchObject({ generation: 1, in_force: 1, desired: null })
  })

  it('applies one at a time, and only the newest of those that arrive meanwhile', async () => {
    let release = () => {}
    bench.apply = async (generation) => {
      if (generation === 1) await new Promise<void>((resolve) => (release = resolve))
      return applied(generation)
    }
    const queue = await bench.open()
    queue.desire(message(1))
    await expect.poll(() => bench.begun).toEqual([1])
    for (const generation of [2, 4, 3]) queue.desire(message(generation))
    release()
    await settled(queue)
    expect(bench.begun).toEqual([1, 4])
    expect(bench.record.in_force).toBe(4)
  })

  it('applies the same generation once, and answers each request for it', async () => {
    const queue = await bench.open()
    for (let time = 0; time < 100; time++) {
      queue.desire(message(1))
      await settled(queue)
    }
    expect(bench.begun).toEqual([1])
    expect(bench.answers).toHaveLength(100)
    expect(new Set(bench.answers.map(({ generation }) => generation))).toEqual(new Set([1]))
  })

  it('keeps the state of a generation that is incomplete, and applies it again until it is complete', async () => {
    const incomplete = { outcome: 'failed', in_force: 0, partly: true, isIncomplete: true } as const
    bench.apply = async () => ({ ...incomplete, message: 'b is missing.', files: [] })
    const queue = await bench.open()
    queue.complete()
    queue.desire(message(1))
    await settled(queue)
    expect(bench.record).toMatchObject({ desired, answer: { message: 'b is missing.' } })
    bench.isAnswering = true
    queue.complete()
    await settled(queue)
    bench.apply = async () => ({ outcome: 'failed', in_force: 0, message: 'Swift is away.', files: [] })
    queue.complete()
    await settled(queue)
    expect([bench.begun, bench.answers.map(({ outcome }) => outcome)]).toEqual([[1, 1, 1], ['failed']])
    bench.apply = async (generation) => applied(generation)
    await settled(await bench.open())
    expect(bench.record).toMatchObject({ in_force: 1, desired: null })
    expect(bench.answers.map(({ outcome }) => outcome)).toEqual(['failed', 'applied'])
    expect(bench.answers.map((answer) => 'isIncomplete' in answer)).toEqual([false, false])
  })

  it('does not answer twice while the first answer waits to be acknowledged', async () => {
    const queue = await bench.open()
    queue.desire(message(1))
    await settled(queue)
    bench.isAnswering = true
    queue.desire(message(1))
    await settled(queue)
    expect(bench.answers).toHaveLength(1)
  })

  it('answers with its last generation when a lower one is requested, and applies nothing', async () => {
    bench.record = { ...bench.record, generation: 8, in_force: 8, answer: { ...applied(8), files: [] } }
    const queue = await bench.open()
    queue.desire(message(5))
    await settled(queue)
    expect(bench.begun).toEqual([])
    expect(bench.answers).toMatchObject([{ generation: 8, in_force: 8 }])
  })

  it('continues the generation during which it was killed', async () => {
    bench.record = { ...bench.record, generation: 2, in_force: 1, desired }
    await settled(await bench.open())
    expect(bench.begun).toEqual([2])
    expect(bench.answers).toMatchObject([{ generation: 2, outcome: 'applied', in_force: 2 }])
  })

  it('keeps queued work for the next start once it is stopped', async () => {
    const queue = await bench.open()
    const stopping = queue.stop()
    queue.desire(message(1))
    await stopping
    expect(bench.begun).toEqual([])
  })
})

describe('a generation that fails', () => {
  it('keeps the previous one in force', async () => {
    bench.record = { ...bench.record, generation: 1, in_force: 1, answer: { ...applied(1), files: [] } }
    bench.apply = () => Promise.reject(new Error('testparm refuses the file.'))
    const queue = await bench.open()
    queue.desire(message(2))
    await settled(queue)
    expect(bench.answers).toMatchObject([
      { generation: 2, outcome: 'failed', in_force: 1, message: 'testparm refuses the file.' },
    ])
    expect(bench.record).toMatchObject({ generation: 2, in_force: 1, desired: null })
  })

  it('is not applied in part: a setting that the agent does not know fails it', async () => {
    const queue = await bench.open()
    const unknown = { ...desired, quotas: [] }
    queue.desire({ ...message(1), desired: unknown })
    const fault = 'This agent does not know the setting quotas: upgrade the agent.'
    await expect(queue.plan(unknown)).rejects.toThrow(fault)
    expect(bench.begun).toEqual([])
    expect(bench.answers).toMatchObject([{ generation: 1, outcome: 'failed', in_force: 0, message: fault }])
  })

  it('fails with a reason when there is no applier', async () => {
    bench.hasApplier = false
    const queue = await bench.open()
    queue.desire(message(1))
    await expect(queue.plan(desired)).rejects.toThrow('This agent cannot apply deployments of the kind user_db')
    expect(bench.answers).toMatchObject([{ outcome: 'failed', in_force: 0 }])
  })

  it('is not started when its record cannot be written', async () => {
    bench.isDiskFull = true
    const queue = await bench.open()
    queue.desire(message(1))
    await settled(queue)
    expect(bench.begun).toEqual([])
    expect(bench.answers).toMatchObject([{ generation: 1, outcome: 'failed', message: 'ENOSPC' }])
  })
})

describe('drift', () => {
  const item = { subject: '/etc/x', message: 'changed', diff: '+x\n' }
  const drifts = () => bench.sent.filter(({ type }) => type === 'drift')

  it('is reported when it changes, and again in each session', async () => {
    const queue = await bench.open()
    queue.desire(message(1))
    await settled(queue)
    bench.drift = [item]
    queue.checkDrift()
    queue.checkDrift()
    await settled(queue)
    expect(drifts()).toMatchObject([{ items: [] }, { in_force: 1, items: [item] }])
    queue.connected()
    await settled(queue)
    expect(drifts()).toHaveLength(3)
  })

  it('is not reported before the first generation, nor while an answer waits', async () => {
    const queue = await bench.open()
    bench.drift = [item]
    queue.checkDrift()
    await settled(queue)
    bench.isAnswering = true
    queue.desire(message(1))
    await settled(queue)
    expect(drifts()).toEqual([])
  })

  it('that cannot be checked does not stop the queue', async () => {
    const queue = await bench.open()
    queue.desire(message(1))
    await settled(queue)
    Object.defineProperty(bench, 'drift', {
      get: () => {
        throw new Error('EIO')
      },
    })
    queue.checkDrift()
    queue.desire(message(2))
    await settled(queue)
    expect(bench.faults).not.toEqual([])
    expect(bench.begun).toEqual([1, 2])
  })
})
