import { beforeEach } from 'vitest'
import { addCluster } from '../agents/fleet-rows.js'
import type { SharedApi } from '../http/shared-api.js'

export const shareList = '/api/v1/gateway_shares/'

export interface ShareRequests {
  /** Of the running test: its cluster, and the gateway in it. */
  readonly clusterId: number
  readonly nodeId: number
  /** URI of the gateway. */
  readonly node: string
  /** Returns the body for a share of the gateway. */
  readonly share: (more?: object) => object
  readonly cifs: (more?: object) => object
  /** Creates a share; returns the record. */
  readonly create: (body?: object) => Promise<ReturnType<typeof JSON.parse>>
  readonly faults: (answer: { readonly body: { readonly gateway_shares?: unknown } }) => unknown
}

/** Adds a cluster with a gateway for each test of the calling file, and returns requests for its shares. */
export function useGateway(server: SharedApi): ShareRequests {
  let clusterId = 0
  let nodeId = 0
  beforeEach(async () => {
    clusterId = await addCluster(server.api.database)
    nodeId = await server.addGateway(clusterId)
  })
  const node = () => `/api/v1/nodes/${nodeId}/`
  const share = (more: object = {}) => ({ name: 'docs', node: node(), objectstore_container: 'documents', ...more })
  return {
    get clusterId() {
      return clusterId
    },
    get nodeId() {
      return nodeId
    },
    get node() {
      return node()
    },
    share,
    cifs: (more = {}) => share({ protocol: 'cifs', ...more }),
    create: async (body = share()) => (await server.post(shareList, body)).body,
    faults: ({ body }) => body.gateway_shares,
  }
}
