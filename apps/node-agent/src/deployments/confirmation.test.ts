import { beforeEach, describe, expect, it } from 'vitest'
import type { DeploymentQueue } from './deployment-queue.js'
import { applied, Bench, desired, message, settled } from './testing/queue-bench.js'

let bench: Bench
beforeEach(() => {
  bench = new Bench()
})

describe('a generation that must be confirmed', () => {
  const former = { generation: 1, desired }
  const asked = { ...message(2), confirm: { within_s: 600, former } }
  const unconfirmed = { type: 'applied', kind: 'user_db', generation: 2, ...applied(2), unconfirmed: true }
  const text = 'Not confirmed within 10 minutes: returned to generation 1.'
  const rolledBack = { outcome: 'rolled_back', in_force: 1, message: text, files: [] }

  /** A queue with generation 1 in force, and 2 applied and waiting. */
  async function waitingQueue(): Promise<DeploymentQueue> {
    bench.record = { ...bench.record, generation: 1, in_force: 1, answer: { ...applied(1), files: [] } }
    const queue = await bench.open()
    queue.desire(asked)
    await settled(queue)
    return queue
  }
  const fire = () => {
    for (const callback of bench.timers.keys()) callback()
  }

  it('is answered as unconfirmed, and stays once it comes without its confirmation', async () => {
    const queue = await waitingQueue()
    expect(bench.answers).toEqual([unconfirmed])
    expect([...bench.timers.values()]).toEqual([600_000])
    bench.isAnswering = true
    queue.desire(message(2))
    await settled(queue)
    expect(bench.answers.at(-1)).toEqual({ type: 'applied', kind: 'user_db', generation: 2, ...applied(2) })
    expect([bench.timers.size, bench.record.confirm]).toEqual([0, null])
    expect(bench.begun).toEqual([2])
  })

  it('is answered again as unconfirmed when it comes with its confirmation', async () => {
    const queue = await waitingQueue()
    queue.desire(asked)
    await settled(queue)
    expect(bench.answers).toEqual([unconfirmed, unconfirmed])
    expect(bench.begun).toEqual([2])
  })

  it('returns to the former generation after its time, once', async () => {
    const queue = await waitingQueue()
    fire()
    await settled(queue)
    expect(bench.begun).toEqual([2, 1])
    expect(bench.answers.at(-1)).toEqual({ type: 'applied', kind: 'user_db', generation: 2, ...rolledBack })
    expect(bench.record).toMatchObject({ generation: 2, in_force: 1, desired: null, confirm: null })
    queue.desire(message(2))
    await settled(queue)
    expect(bench.begun).toEqual([2, 1])
    expect(bench.answers.at(-1)).toMatchObject(rolledBack)
  })

  it('counts its time over a restart, at most all of it again when the clock was set back', async () => {
    await (await waitingQueue()).stop()
    bench.now += 400_000
    await (await bench.open()).stop()
    expect([...bench.timers.values()]).toEqual([])
    await settled(await bench.open())
    expect([...bench.timers.values()]).toEqual([200_000])
    bench.timers.clear()
    bench.now -= 4_000_000
    await settled(await bench.open())
    expect([...bench.timers.values()]).toEqual([600_000])
  })

  it('returns at the start when its time is over, before a confirmation that comes late', async () => {
    await (await waitingQueue()).stop()
    bench.now += 600_000
    const queue = await bench.open()
    queue.desire(message(2))
    await settled(queue)
    expect(bench.begun).toEqual([2, 1])
    expect(bench.answers.at(-1)).toMatchObject(rolledBack)
  })

  it('tries again to return with every check, also after a restart, and accepts no confirmation meanwhile', async () => {
    let queue = await waitingQueue()
    bench.apply = async () => ({ outcome: 'failed', in_force: 2, message: 'Samba does not reload.', files: [] })
    fire()
    await settled(queue)
    const failure = 'the return to generation 1 failed. It is tried again every minute. Samba does not reload.'
    expect(bench.answers.at(-1)).toMatchObject({
      outcome: 'failed',
      in_force: 2,
      message: expect.stringContaining(failure),
    })
    expect(bench.answers.at(-1)).not.toHaveProperty('unconfirmed')
    const count = bench.answers.length
    queue.complete()
    await settled(queue)
    expect([bench.begun, bench.answers.length]).toEqual([[2, 1, 1], count])
    await queue.stop()
    queue = await bench.open()
    queue.desire(message(2))
    await settled(queue)
    bench.apply = async (generation) => applied(generation)
    queue.complete()
    await settled(queue)
    expect(bench.answers.at(-1)).toMatchObject(rolledBack)
  })

  it('waits only where something was changed', async () => {
    bench.apply = async () => ({ outcome: 'rolled_back', in_force: 1, message: 'Samba does not reload.', files: [] })
    await waitingQueue()
    expect(bench.answers.at(-1)).not.toHaveProperty('unconfirmed')
    expect([bench.timers.size, bench.record.confirm]).toEqual([0, null])
  })

  it('is refused where another generation is in force than the former one', async () => {
    bench.record = { ...bench.record, generation: 7, in_force: 7, answer: { ...applied(7), files: [] } }
    const queue = await bench.open()
    queue.desire({ ...asked, generation: 8 })
    await settled(queue)
    const message = 'This node has generation 7 in force and not 1, to which it would return. Deploy again.'
    expect(bench.answers.at(-1)).toMatchObject({ generation: 8, outcome: 'failed', in_force: 7, message })
    expect(bench.begun).toEqual([])
  })
})
