import { beforeEach, describe, expect, it } from 'vitest'
import { StrandedShare } from './stranded-share.js'
import type { ShareUploadState } from './stranded-share.js'

const countMs = 15_000

let share: StrandedShare
let nowMs: number
beforeEach(() => {
  share = new StrandedShare()
  nowMs = 0
})

const file = (key: string) => ({ key, bytes: 3, changedAtMs: 0, modifiedAtMs: 0, dirtySinceMs: 0, inode: 1 })

interface Seen {
  readonly at: number
  readonly requeue: readonly string[]
  readonly stranded: readonly string[]
  readonly needsRestart: boolean
}

/** Counts every 15 s for so long; answers what was not idle. */
function count(seconds: number, state: (second: number) => Partial<ShareUploadState>): readonly Seen[] {
  const seen: Seen[] = []
  for (const end = nowMs + seconds * 1_000; nowMs < end; nowMs += countMs) {
    const { requeue, stranded, needsRestart } = share.next({
      dirty: [file('a')],
      busy: new Set(),
      uploadsInProgress: 0,
      uploaded: 0,
      answeringMs: nowMs,
      writeBackMs: 5_000,
      nowMs,
      monotonicMs: nowMs,
      ...state(nowMs / 1_000),
    })
    const keys = (files: readonly { readonly key: string }[]) => files.map(({ key }) => key)
    seen.push({ at: nowMs / 1_000, requeue: keys(requeue), stranded: keys(stranded), needsRestart })
  }
  return seen
}

const requeuedAt = (seen: readonly Seen[]) => seen.filter(({ requeue }) => requeue.length > 0).map(({ at }) => at)

describe('a share whose files are not uploaded', () => {
  it('has them queued again within half a minute, then ever more rarely, and needs a restart after 10 minutes', () => {
    const seen = count(3_600, () => ({}))
    expect(requeuedAt(seen)).toEqual([30, 90, 210, 450, 930, 1_530, 2_130, 2_730, 3_330])
    expect(seen.find(({ stranded }) => stranded.length > 0)?.at).toBe(75)
    expect(seen.find(({ needsRestart }) => needsRestart)?.at).toBe(630)
  })

  it('has them queued again as soon as Swift is back, and is a problem meanwhile', () => {
    const answering = (second: number) => ({ answeringMs: second < 600 ? undefined : (second - 595) * 1_000 })
    const seen = count(660, answering)
    expect(requeuedAt(seen)).toEqual([600])
    expect(seen.find(({ stranded }) => stranded.length > 0)?.at).toBe(75)
    expect(seen.some(({ needsRestart }) => needsRestart)).toBe(false)
  })

  it('is no problem while its queue moves, and leaves alone what is busy or changed lately', () => {
    expect(requeuedAt(count(300, () => ({ uploadsInProgress: 4 })))).toEqual([])
    share = new StrandedShare()
    const moving = count(300, (second) => ({ uploadsInProgress: 4, uploaded: second }))
    expect(moving.flatMap(({ stranded }) => stranded)).toEqual([])
    share = new StrandedShare()
    const busy = count(300, () => ({ busy: new Set(['a']) }))
    expect(busy.flatMap(({ stranded, requeue }) => [...stranded, ...requeue])).toEqual([])
    const written = count(300, (second) => ({ dirty: [{ ...file('a'), changedAtMs: second * 1_000 - 10_000 }] }))
    expect(written.flatMap(({ stranded, requeue }) => [...stranded, ...requeue])).toEqual([])
  })
})
