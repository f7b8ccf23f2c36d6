import { describe, expect, it } from 'vitest'
import { KeyedQueue } from './keyed-queue.js'

describe('a queue by key', () => {
  it('runs the work of one key in order, also after a failure, and does not wait for another key', async () => {
    const queue = new KeyedQueue<number>()
    const done: string[] = []
    let release = () => {}
    const blocked = queue.run(1, () => new Promise<void>((resolve) => (release = resolve)))
    const failing = queue.run(1, async () => {
      done.push('1 fails')
      throw new Error('no')
    })
    const last = queue.run(1, async () => void done.push('1 last'))
    await queue.run(2, async () => void done.push('2'))
    expect(done).toEqual(['2'])
    release()
    await blocked
    await expect(failing).rejects.toThrow('no')
    await last
    expect(done).toEqual(['2', '1 fails', '1 last'])
  })

  it('is idle once the work of all keys has ended, also what was added meanwhile', async () => {
    const queue = new KeyedQueue<number>()
    const done: string[] = []
    const first = async () => {
      done.push('first')
      void queue.run(1, async () => void done.push('added'))
    }
    void queue.run(1, first)
    await queue.idle()
    expect(done).toEqual(['first', 'added'])
  })
})
