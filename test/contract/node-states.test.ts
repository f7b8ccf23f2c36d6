import type { NodeStateChange } from '@roost/api-types/rpc'
import { expect, it, onTestFinished } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)

/** Subscribes, and returns what is received. */
function subscribe() {
  const received: (readonly NodeStateChange[])[] = []
  const subscription = client.rpc.nodes.states.subscribe(undefined, {
    onData: (changes) => void received.push(changes),
  })
  onTestFinished(() => subscription.unsubscribe())
  return received
}

it('many subscribers get every node once, and then ids and changed fields', async () => {
  const cluster = await addCluster(server.api.database)
  const ids = []
  for (let i = 0; i < 3; i += 1) ids.push(await addNode(server.api.database, cluster))
  const subscribers = Array.from({ length: 30 }, subscribe)
  for (const received of subscribers) {
    await expect.poll(() => received.length).toBe(1)
    expect(received[0]?.map(({ id }) => id)).toEqual(ids)
  }
  const [first, second, third] = ids as [number, number, number]
  await client.rpc.nodes.change.mutate({ id: second, change: { enabled: false } })
  for (const received of subscribers) {
    await expect.poll(() => received.length).toBe(2)
    expect(received[1]).toEqual([{ id: second, enabled: false }])
  }
  await client.rpc.nodes.remove.mutate({ id: third })
  for (const received of subscribers) {
    await expect.poll(() => received.length).toBe(3)
    expect(received[2]).toEqual([{ id: third, state: 'removed' }])
  }
  const later = subscribe()
  await expect.poll(() => later.map((changes) => changes.map(({ id }) => id))).toEqual([[first, second]])
})
