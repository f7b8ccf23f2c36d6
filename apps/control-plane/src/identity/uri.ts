import { resourceUri } from '@roost/api-types/rest'

/** Returns the resource URI of the identity service of a cluster. */
export function identityUri(clusterId: number): string {
  return `${resourceUri('clusters', clusterId)}identity/`
}
