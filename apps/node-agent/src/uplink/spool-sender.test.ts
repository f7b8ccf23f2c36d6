import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '@roost/runtime'
import { MessageSpool } from './message-spool.js'
import { SpoolSender } from './spool-sender.js'

/** Time stands still but for what the test does, and the last timer that was armed can be seen. */
class ManualClock {
  nowMs = 1_000_000
  timer: { readonly delayMs: number; readonly callback: () => void } | undefined

  now(): number {
    return this.nowMs
  }

  monotonic(): number {
    return this.nowMs
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { delayMs, callback }
    this.timer = timer
    return () => {
      if (this.timer === timer) this.timer = undefined
    }
  }

  pass(ms: number): void {
    const { callback } = this.timer ?? {}
    this.timer = undefined
    this.nowMs += ms
    callback?.()
  }
}

let dir: string
let clock: ManualClock
let messages: MessageSpool
let sender: SpoolSender
let sent: number[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-sender-'))
  clock = new ManualClock()
  const log = createLog({ format: 'json', level: 'info', write: () => {} })
  messages = await MessageSpool.open({ maxBytes: 1 << 20, dir, clock, log })
  sender = new SpoolSender({ clock, log, messages, maxMessageBytes: 1 << 20 })
  sent = []
})

afterEach(async () => {
  sender.close()
  await messages.settled()
  await rm(dir, { recursive: true, force: true })
})

async function keep(): Promise<number> {
  const { sequence } = await messages.add('inventory', (number) => ({ type: 'inventory', sequence: number }), true)
  sender.pump()
  return sequence
}

function open(): void {
  sender.open({ send: (text) => sent.push((JSON.parse(text) as { sequence: number }).sequence) > 0 })
}

it('gives up news of a restored mount that was refused five times', async () => {
  open()
  const { sequence } = await messages.add('mount_restored', (number) => ({ type: 'mount_restored', sequence: number }))
  sender.pump()
  for (let time = 1; time <= 5; time++) {
    await expect.poll(() => sent.length).toBe(time)
    expect(messages.has(sequence)).toBe(true)
    sender.refused(sequence)
    clock.pass(60_000)
  }
  await expect.poll(() => messages.has(sequence)).toBe(false)
})

it('sends a message that was refused again, after a pause that grows', async () => {
  open()
  const sequence = await keep()
  await expect.poll(() => sent).toEqual([sequence])
  for (const pauseMs of [5_000, 10_000, 20_000]) {
    const before = sent.length
    sender.refused(sequence)
    expect(clock.timer?.delayMs).toBe(pauseMs)
    clock.pass(pauseMs)
    await expect.poll(() => sent.length).toBe(before + 1)
  }
})

it('rests after a refused message was replaced by a newer one', async () => {
  open()
  const older = await keep()
  await expect.poll(() => sent).toEqual([older])
  sender.refused(older)
  const newer = await keep()
  await expect.poll(() => sent).toEqual([older, newer])
  clock.pass(6_000)
  // The newer one may be answered within a minute of its sending.
  await expect.poll(() => clock.timer?.delayMs).toBeGreaterThan(50_000)
  sender.refused(older)
  expect(clock.timer?.delayMs).toBeGreaterThan(50_000)
})
