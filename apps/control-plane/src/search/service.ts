import { resourceUri } from '@roost/api-types/rest'
import type { SearchService } from '@roost/api-types/rpc'
import type { FoundRow, SearchStore } from './store.js'

export function createSearch(store: SearchStore): SearchService {
  return {
    async find(text, limit) {
      const rows = await store.find(text, limit + 1)
      return { objects: rows.slice(0, limit).map(hitOf), has_more: rows.length > limit }
    },
  }
}

function hitOf({ resource, id, name, detail, clusterId, nodeId }: FoundRow) {
  return {
    resource,
    resource_uri: resourceUri(resource, id),
    name,
    detail,
    cluster: resourceUri('clusters', clusterId),
    node: nodeId === null ? null : resourceUri('nodes', nodeId),
  }
}
