import { describe, expect, it } from 'vitest'
import { writeEach } from './write-each.js'

const records = Array.from({ length: 10 }, (_, i) => i)
const options = { endsAll: () => false, signal: new AbortController().signal, onProgress: () => {} }

describe('writing each of several records', () => {
  it('goes on after a refusal, and reports how many have ended', async () => {
    const progress: number[] = []
    const outcome = await writeEach(records, {
      ...options,
      write: async (record) => {
        if (record % 3 === 0) throw new Error(`no ${record}`)
      },
      onProgress: (ended) => progress.push(ended),
    })
    expect(outcome.done).toEqual([1, 2, 4, 5, 7, 8])
    expect(outcome.refused.map(({ record, error }) => [record, (error as Error).message])).toEqual([
      [0, 'no 0'],
      [3, 'no 3'],
      [6, 'no 6'],
      [9, 'no 9'],
    ])
    expect(outcome.left).toEqual([])
    expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it('has four under way at most', async () => {
    let [now, most] = [0, 0]
    await writeEach(records, {
      ...options,
      write: async () => {
        now += 1
        most = Math.max(most, now)
        await Promise.resolve()
        now -= 1
      },
    })
    expect(most).toBe(4)
  })

  it.each(['stopped', 'ended by an error'])(
    'begins no other once it is %s, and waits for those under way',
    async (how) => {
      const stop = new AbortController()
      const { done, refused, left } = await writeEach(records, {
        ...options,
        signal: stop.signal,
        endsAll: () => true,
        write: async (record) => {
          if (record !== 1) return
          if (how === 'stopped') stop.abort()
          else throw new Error('no answer')
        },
      })
      const ended = [...done, ...refused.map(({ record }) => record)].toSorted((a, b) => a - b)
      expect(ended).toEqual(records.slice(0, ended.length))
      expect(ended.length).toBeLessThan(records.length)
      expect(left).toEqual(records.slice(ended.length))
    },
  )
})
