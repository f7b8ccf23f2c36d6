import type { NodeState, NodeStateChange } from '@roost/api-types/rpc'
import { systemClock } from '@roost/runtime'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNodeStates } from './service.js'

const node = (id: number, more: Partial<NodeState> = {}): NodeState => ({
  id,
  hostname: `node-${id}`,
  state: 'online',
  config_state: 'synced',
  enabled: true,
  ...more,
})

let stored: NodeState[] = []
let reads = 0
let isBroken = false
let states: ReturnType<typeof createNodeStates>
beforeEach(() => {
  vi.useFakeTimers()
  stored = [node(1), node(2), node(3)]
  reads = 0
  isBroken = false
  const store = {
    async states() {
      reads += 1
      if (isBroken) throw new Error('The database does not answer.')
      return stored
    },
  }
  states = createNodeStates(store, systemClock)
})

afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A subscriber that reads at once, and what it has received. */
function subscribe() {
  const received: (readonly NodeStateChange[])[] = []
  const abort = new AbortController()
  const ended = (async () => {
    for await (const changes of states.watch(abort.signal)) received.push(changes)
  })()
  const stop = () => {
    abort.abort()
    return ended
  }
  return { received, stop }
}

it('sends all nodes first, then ids and changed fields, and removed nodes', async () => {
  const { received, stop } = subscribe()
  await pass(0)
  expect(received).toEqual([stored])
  stored = [node(1), node(2, { state: 'stale' }), node(4)]
  await pass(999)
  expect(received).toHaveLength(1)
  await pass(1)
  expect(received[1]).toEqual([{ id: 2, state: 'stale' }, node(4), { id: 3, state: 'removed' }])
  await pass(10_000)
  expect(received).toHaveLength(2)
  await stop()
})

it('reads and compares once a second for a thousand subscribers, which receive the same changes', async () => {
  const subscribers = Array.from({ length: 1_000 }, subscribe)
  await pass(0)
  stored = [node(1, { enabled: false }), node(2), node(3)]
  await pass(1_000)
  expect(reads).toBe(2)
  const [first, ...others] = subscribers.map(({ received }) => received[1])
  expect(first).toEqual([{ id: 1, enabled: false }])
  for (const other of others) expect(other).toBe(first)
  await Promise.all(subscribers.map(({ stop }) => stop()))
})

it('sends a subscriber that comes later all nodes as they are, and none that was removed', async () => {
  const { stop } = subscribe()
  await pass(0)
  stored = [node(1, { state: 'offline' }), node(2)]
  await pass(1_000)
  const later = subscribe()
  await pass(0)
  expect(later.received).toEqual([stored])
  await Promise.all([stop(), later.stop()])
})

it('queues nothing for a subscriber that does not read: it gets each changed node once', async () => {
  const slow = states.watch(new AbortController().signal)[Symbol.asyncIterator]()
  const { stop } = subscribe()
  expect((await slow.next()).value).toEqual(stored)
  for (const state of ['stale', 'offline', 'online', 'offline'] as const) {
    stored = [node(1, { state }), node(2)]
    await pass(1_000)
  }
  expect((await slow.next()).value).toEqual([node(1, { state: 'offline' }), { id: 3, state: 'removed' }])
  await slow.return?.()
  await stop()
})

it('sends nothing while the database does not answer, and goes on afterwards', async () => {
  isBroken = true
  const { received, stop } = subscribe()
  await pass(5_000)
  expect(received).toEqual([])
  isBroken = false
  await pass(1_000)
  expect(received).toEqual([stored])
  await stop()
})

it('reads nothing without subscribers', async () => {
  await subscribe().stop()
  await pass(10_000)
  const before = reads
  await pass(10_000)
  expect(reads).toBe(before)
  const { received, stop } = subscribe()
  await pass(0)
  expect(received).toEqual([stored])
  await stop()
})
