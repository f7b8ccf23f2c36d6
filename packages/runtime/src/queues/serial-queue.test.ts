import { expect, it } from 'vitest'
import { SerialQueue } from './serial-queue.js'

it('runs work in order, one at a time, also after a failure', async () => {
  const queue = new SerialQueue()
  const done: string[] = []
  let release = () => {}
  const first = queue.run(() => new Promise<void>((resolve) => (release = resolve)))
  const failing = queue.run(async () => {
    done.push('fails')
    throw new Error('no')
  })
  const last = queue.run(async () => {
    done.push('last')
    return 3
  })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(done).toEqual([])
  release()
  await first
  await expect(failing).rejects.toThrow('no')
  expect(await last).toBe(3)
  expect(done).toEqual(['fails', 'last'])
})

it('is settled once all that was queued has ended', async () => {
  const queue = new SerialQueue()
  let ended = false
  void queue.run(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    ended = true
  })
  await queue.settled()
  expect(ended).toBe(true)
})
