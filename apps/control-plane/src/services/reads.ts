import type { ListQuery, Page, Reads } from '@roost/api-types/rpc'
import { found } from './errors.js'

/** The reading verbs of a store. */
export interface ReadStore<R> {
  list(query: ListQuery): Promise<Page<R>>
  find(id: number): Promise<R | undefined>
  findMany(ids: readonly number[]): Promise<readonly R[]>
}

/** The reading methods of a service; for read-only resources, the whole service. */
export function createReads<R>(store: ReadStore<R>): Reads<R> {
  return {
    list: (query) => store.list(query),
    get: async (id) => found(await store.find(id)),
    getMany: (ids) => store.findMany(ids),
  }
}
