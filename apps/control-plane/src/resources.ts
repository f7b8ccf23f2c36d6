import type { Services } from '@roost/api-types/rpc'
import { clustersResource } from './clusters/resource.js'
import type { Resource } from './http/resource.js'

/** Every resource of the REST API, in the order of the index. */
export function resources(services: Pick<Services, 'clusters'>): readonly Resource[] {
  return [clustersResource(services.clusters)]
}
