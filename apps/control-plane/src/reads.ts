import type { ListQuery, Page, Reads } from '@roost/api-types/rpc'
import { found } from './errors.js'

/** The reading verbs of a store. */
export interface ReadStore<R> {
  list(query: ListQuery): Promise<Page<R>>
  find(id: number): Promise<R | undefined>
  findMany(ids: readonly number[]): Promise<readonly R[]>
}

/** The reading verbs of a service, which is all there is to a resource that nobody writes. */
export function createReads<R>(store: ReadStore<R>): Reads<R> {
  return {
    list: (query) => store.list(query),
    get: async (id) => found(await store.find(id)),
    getMany: (ids) => store.findMany(ids),
  }
}
