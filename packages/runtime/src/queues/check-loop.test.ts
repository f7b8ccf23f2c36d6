import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CheckLoop } from './check-loop.js'

function scriptedLoop() {
  const waiting: { end: () => void; fail: (error: Error) => void }[] = []
  const errors: unknown[] = []
  const check = () => new Promise<void>((resolve, reject) => waiting.push({ end: resolve, fail: reject }))
  return { waiting, errors, loop: new CheckLoop({ check, onError: (error) => errors.push(error) }) }
}

describe('a check loop', () => {
  it('makes one more check of all wakes during a check', async () => {
    const { loop, waiting } = scriptedLoop()
    loop.wake()
    loop.wake()
    loop.wake()
    expect(waiting).toHaveLength(1)
    waiting[0]?.end()
    await setImmediate()
    expect(waiting).toHaveLength(2)
    waiting[1]?.end()
    await setImmediate()
    expect(waiting).toHaveLength(2)
  })

  it('reports a failed check and runs again when woken', async () => {
    const { loop, waiting, errors } = scriptedLoop()
    loop.wake()
    waiting[0]?.fail(new Error('no database'))
    await setImmediate()
    expect(errors).toEqual([new Error('no database')])
    loop.wake()
    expect(waiting).toHaveLength(2)
  })

  it('waits for the check and the tracked work when it is stopped, and begins nothing after it', async () => {
    const { loop, waiting } = scriptedLoop()
    let endWork = () => {}
    loop.wake()
    loop.wake()
    loop.track(new Promise<void>((resolve) => (endWork = resolve)))
    let isStopped = false
    const stopped = loop.stop().then(() => (isStopped = true))
    waiting[0]?.end()
    await setImmediate()
    expect(isStopped).toBe(false)
    endWork()
    await stopped
    loop.wake()
    expect(waiting).toHaveLength(1)
  })
})
