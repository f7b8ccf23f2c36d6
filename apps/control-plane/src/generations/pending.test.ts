import { expect, it } from 'vitest'
import { createPendingChanges } from './pending.js'

const tick = () => new Promise((resolve) => setTimeout(resolve, 1))

it('compares a cluster once at a time: who asks meanwhile gets the comparison after it, with the others', async () => {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const pending = createPendingChanges({
    hasUsersOnProxies: async () => false,
    states: {
      async *ofCluster(_kind, clusterId) {
        begun.push(clusterId)
        await new Promise<void>((resolve) => ends.push(resolve))
        yield { nodeId: begun.length, inForce: null, desired: { error: 'no key' } }
      },
    },
  })
  const nodesOf = async (clusterId: number) => (await pending.ofCluster(clusterId)).unknown.map(({ node }) => node)
  const first = nodesOf(1)
  await tick()
  const following = [nodesOf(1), nodesOf(1), nodesOf(1)]
  const other = nodesOf(2)
  await tick()
  expect(begun).toEqual([1, 2])
  for (const end of ends.splice(0)) end()
  expect([await first, await other]).toEqual([['/api/v1/nodes/2/'], ['/api/v1/nodes/2/']])
  await tick()
  expect(begun).toEqual([1, 2, 1])
  ends[0]?.()
  expect(await Promise.all(following)).toEqual(Array.from({ length: 3 }, () => ['/api/v1/nodes/3/']))
})
