import { expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post } = server
const long = process.env['ROOST_TEST_LONG'] !== undefined
const walks = long ? 1000 : 25
const list = '/api/v1/users/'

interface User {
  readonly id: string
  readonly user: string
}

/** Everything that following `next` shows. */
async function walk(first: string): Promise<readonly User[]> {
  const seen: User[] = []
  for (let path: string | null = first; path !== null;) {
    const { body } = await get(path)
    seen.push(...(body.objects as User[]))
    path = body.meta.next as string | null
  }
  return seen
}

it(
  'no user that was there before is skipped or seen twice while others come',
  { timeout: long ? 1_800_000 : 180_000 },
  async () => {
    const password = 'correct-horse-battery-staple'
    let cluster = 0
    let count = 0
    const add = async () => post(list, { cluster, user: `user${count++}`, password })
    for (let round = 0; round < walks; round++) {
      if (round % 10 === 0) {
        cluster = await addCluster(server.api.database)
        await Promise.all(Array.from({ length: 15 }, add))
      }
      const before = await walk(`${list}?cluster=${cluster}&limit=1000`)
      const limit = 1 + (round % 7)
      const [seen] = await Promise.all([walk(`${list}?cluster=${cluster}&limit=${limit}`), add(), add(), add()])
      expect(seen.slice(0, before.length)).toEqual(before)
      expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
    }
  },
)

it('a walk by id__gt misses no row when rows that it has seen are removed', async () => {
  const cluster = await addCluster(server.api.database, 'walked')
  const ids: number[] = []
  for (let i = 0; i < 7; i++) ids.push(await addNode(server.api.database, cluster))
  const seen: number[] = []
  for (let last = 0; ;) {
    const { objects } = (await get(`/api/v1/nodes/?cluster=${cluster}&limit=2&id__gt=${last}`)).body
    if (objects.length === 0) break
    seen.push(...objects.map(({ id }: { readonly id: number }) => id))
    last = objects.at(-1).id
    await server.api.database.prisma.node.deleteMany({ where: { id: { in: seen } } })
  }
  expect(seen).toEqual(ids)
})

it('an offset past the end is an empty page', async () => {
  const { status, body } = await get(`${list}?cluster=999999&offset=100`)
  expect(status).toBe(200)
  expect(body).toEqual({
    meta: { limit: 20, offset: 100, next: null, previous: `${list}?cluster=999999&limit=20&offset=80`, total_count: 0 },
    objects: [],
  })
})
