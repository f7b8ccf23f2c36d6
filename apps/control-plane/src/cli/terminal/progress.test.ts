import { PassThrough } from 'node:stream'
import type { Clock } from '@roost/runtime'
import { describe, expect, it } from 'vitest'
import { createProgress } from './progress.js'

/** A terminal, or a pipe, and a clock that a test moves. */
function screen({ isTTY = true, quiet = false } = {}) {
  let text = ''
  let now = 0
  let timers: { readonly at: number; readonly run: () => void }[] = []
  const stream = new PassThrough().setEncoding('utf8').on('data', (chunk) => (text += chunk))
  const err = Object.assign(stream, { isTTY, columns: 60 })
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run }
      timers.push(timer)
      return () => (timers = timers.filter((one) => one !== timer))
    },
  }
  const stopping = new AbortController()
  const style = { color: false, pager: null, quiet, hasJsonErrors: false, isDryRun: false }
  return {
    progress: createProgress({ err: err as never, style, stopping: stopping.signal }, clock),
    stopping,
    timers: () => timers.length,
    passUntil: (moment: number) => {
      now = moment
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { run } of due) run()
    },
    /** What was written since the last call. */
    written: async () => {
      await new Promise(setImmediate)
      const before = text
      text = ''
      return before
    },
  }
}

describe('the progress of a command', () => {
  it('appears on a terminal after two seconds, and not before', async () => {
    const { progress, passUntil, written } = screen()
    progress.show('backing up')
    passUntil(1_999)
    expect(await written()).toBe('')
    passUntil(2_000)
    expect(await written()).toBe('\r\u001B[Kbacking up (2 s)')
    passUntil(3_000)
    expect(await written()).toBe('\r\u001B[Kbacking up (3 s)')
    progress.end()
    expect(await written()).toBe('\r\u001B[K')
  })

  it('has a bar where it is known how much is done, and fits the line', async () => {
    const { progress, passUntil, written } = screen()
    passUntil(2_000)
    progress.show('job 7', 25)
    expect(await written()).toBe('\r\u001B[Kjob 7 [#####...............] 25 %')
    progress.show('x'.repeat(100), 100)
    expect(await written()).toBe(`\r\u001B[K${'x'.repeat(59)}`)
  })

  it('leaves lines that were printed above it', async () => {
    const { progress, passUntil, written } = screen()
    progress.show('upgrade 3', 0)
    progress.print('gw-1 upgrading')
    expect(await written()).toBe('gw-1 upgrading\n')
    passUntil(2_000)
    await written()
    progress.print('gw-1 installed')
    expect(await written()).toBe('\r\u001B[Kgw-1 installed\n\r\u001B[Kupgrade 3 [....................] 0 %')
  })

  it('prints what agents say without what would move the cursor', async () => {
    const { progress, written } = screen()
    progress.print('gw-1 failed: \u001B[2Jno space')
    expect(await written()).toBe('gw-1 failed: ?[2Jno space\n')
  })

  it('is not in a pipe and not with --quiet', async () => {
    for (const options of [{ isTTY: false }, { quiet: true }]) {
      const { progress, passUntil, written, timers } = screen(options)
      progress.show('backing up')
      passUntil(10_000)
      progress.end()
      expect([await written(), timers()]).toEqual(['', 0])
    }
  })

  it('writes nothing where the work ended before, and nothing after a signal', async () => {
    const quick = screen()
    quick.progress.show('applying')
    quick.progress.end()
    quick.passUntil(5_000)
    expect([await quick.written(), quick.timers()]).toEqual(['', 0])
    const stopped = screen()
    stopped.progress.show('applying')
    stopped.passUntil(2_000)
    stopped.stopping.abort()
    stopped.passUntil(9_000)
    expect([await stopped.written(), stopped.timers()]).toEqual(['\r\u001B[Kapplying (2 s)\r\u001B[K', 0])
  })
})
