import { resources as declared } from '@roost/api-types/rpc'
import type { Declaration } from '@roost/api-types/rpc'
import type { TestApi } from './api.js'
import { addAlert, addNode } from '../agents/fleet-rows.js'

/** One line of the API's table of routes, in both its forms: with the slash at the end and without. */
export interface ListedRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As listed; `<resource>` is each of them. */
  readonly path: string
  /** As in the OpenAPI document; what is not said is `path` with its ids in braces. */
  readonly documented?: string
  /** 200, 201, 202 or 204 by its method unless said. */
  readonly status?: number
  /** Needs no key. */
  readonly open?: true
  readonly query?: string
  /** Returns a valid body, a new one for each form. */
  readonly body?: (fixture: Fixture) => object | Promise<object>
  /** The path's ids; a record of its own for each form where the route removes it. */
  readonly ids?: (fixture: Fixture) => Ids | Promise<Ids>
}
export type Ids = Readonly<Record<string, string | number>>

/** The records that exist before the routes are called. */
export interface Fixture {
  readonly database: TestApi['database']
  /** A gateway and proxy of the first cluster. */
  readonly node: number
  readonly device: number
  readonly gatewayJob: string
  readonly userJob: string
  /** Creates a record by the API and answers its id. */
  create(resource: string, body: object): Promise<Ids>
}

const bySuccess = { GET: 200, POST: 201, PATCH: 202, DELETE: 204 } as const
const usage = 'start=2026-06-01T10:00:00&end=2026-06-01T12:00:00'
let last = 0
const next = () => (last += 1)

const user = () => ({
  cluster: '/api/v1/clusters/1/',
  user: `user-${next()}`,
  password: 'correct-horse-battery-staple',
})
const share = ({ node }: Fixture) => ({
  name: `share-${next()}`,
  node: `/api/v1/nodes/${node}/`,
  objectstore_container: 'data',
})
const silence = () => ({ matchers: { subject: 'd5' }, ends_at: new Date(Date.now() + 3_600_000).toISOString() })
const newSilence = (fixture: Fixture) => fixture.create('alert_silences', silence())
const newUser = (fixture: Fixture) => fixture.create('users', user())
const newShare = (fixture: Fixture) => fixture.create('gateway_shares', share(fixture))
/** A cluster of its own, where no other job runs. */
export const newTarget = async ({ database }: Pick<Fixture, 'database'>) => {
  const { id } = await database.prisma.cluster.create({ data: { name: `cluster-${next()}` } })
  await addNode(database, id, { role: { create: { runsGateway: true, runsProxy: true } } })
  return { cluster: `/api/v1/clusters/${id}/` }
}
const account = () => ({ cluster_id: 1, policy_idx: 0, account: 'AUTH_bob' })
const ofNode = ({ node }: Fixture) => ({ node_id: node })

const get = (path: string, more: Partial<ListedRoute> = {}): ListedRoute => ({ method: 'GET', path, ...more })
const ofCluster = (path: string, more: Partial<ListedRoute> = {}) =>
  get(`/api/v1/clusters/<cluster_id>/${path}`, { ids: account, ...more })

/** The table, line by line. */
const table: readonly ListedRoute[] = [
  get('/', { open: true, documented: '/' }),
  get('/', { open: true, documented: '/', query: 'url=/api/v1/clusters/', status: 302 }),
  get('/api', { open: true, documented: '/api' }),
  get('/api/v1/<resource>/'),
  get('/api/v1/clusters/', { query: 'id=1&name=default' }),
  get('/api/v1/clusters/<cluster_id>/', { ids: () => ({ cluster_id: 1 }) }),
  ofCluster('capacity/explain/'),
  ofCluster('capacity/forecast/'),
  ofCluster('capacity/forecast/explain/'),
  ofCluster('capacity/fullness/', { query: 'step=10&by_node=true' }),
  ofCluster('capacity/history/', { query: 'start=2026-11-01' }),
  ofCluster('capacity/list/'),
  ofCluster('health/explain/'),
  ofCluster('metrics/explain/', { query: 'metrics=load.*,unknown.name' }),
  ofCluster('metrics/list/'),
  ofCluster('metrics/poll/', { query: 'metrics=load.*,unknown.name' }),
  ofCluster('metrics/history/', { query: 'metrics=load.*&start=2026-01-01&step=86400' }),
  ofCluster('metrics/across/history/', { query: 'metrics=load.*&start=2026-01-01&step=86400' }),
  ofCluster('utilization/storage/<policy_idx>/', { query: usage }),
  ofCluster('utilization/storage/<policy_idx>/<account>/', { query: usage }),
  ofCluster('utilization/storage/<policy_idx>/<account>/detail/', { query: usage }),
  ofCluster('utilization/storage/<policy_idx>/total/', { query: usage }),
  ofCluster('utilization/transfer/', { query: usage }),
  ofCluster('utilization/transfer/<account>/', { query: usage }),
  ofCluster('utilization/transfer/<account>/detail/', { query: usage }),
  ofCluster('utilization/transfer/total/', { query: usage }),
  get('/api/v1/devices/'),
  get('/api/v1/devices/<device_id>/', { ids: ({ device }) => ({ device_id: device }) }),
  get('/api/v1/nodes/'),
  get('/api/v1/nodes/<node_id>/', { ids: ofNode }),
  get('/api/v1/nodes/metrics/sparklines/', { query: 'id__in=1&metric=load.shortterm' }),
  get('/api/v1/nodes/<node_id>/metrics/list/', { ids: ofNode }),
  get('/api/v1/nodes/<node_id>/metrics/poll/', { ids: ofNode, query: 'metrics=*' }),
  get('/api/v1/nodes/<node_id>/metrics/history/', { ids: ofNode, query: 'metrics=*&start=2026-01-01&step=86400' }),
  {
    method: 'PATCH',
    path: '/api/v1/nodes/',
    body: ({ node }) => ({ objects: [{ resource_uri: `/api/v1/nodes/${node}/`, other_ips: [`192.0.2.${next()}`] }] }),
  },
  { method: 'PATCH', path: '/api/v1/node/<node_id>', ids: ofNode, body: () => ({ other_ips: [`192.0.2.${next()}`] }) },
  { method: 'PATCH', path: '/api/v1/nodes/<node_id>/', ids: ofNode, body: () => ({ other_ips: [] }) },
  get('/api/v1/gateway_shares/', { query: 'cluster=1&protocol=nfs&enabled=false' }),
  { method: 'POST', path: '/api/v1/gateway_shares/', body: share },
  get('/api/v1/gateway_shares/<id>/', { ids: newShare }),
  { method: 'PATCH', path: '/api/v1/gateway_shares/<id>/', ids: newShare, body: () => ({ protocol: 'cifs' }) },
  { method: 'DELETE', path: '/api/v1/gateway_shares/<id>', ids: newShare },
  get('/api/v1/users/', { query: 'cluster=1' }),
  { method: 'POST', path: '/api/v1/users/', body: user },
  get('/api/v1/users/<id>/', { ids: newUser }),
  { method: 'PATCH', path: '/api/v1/users/<id>/', ids: newUser, body: () => ({ enabled: false }) },
  { method: 'DELETE', path: '/api/v1/users/<id>', ids: newUser },
  get('/api/v1/gateway_deployments/'),
  get('/api/v1/gateway_deployments/<job_id>/', { ids: ({ gatewayJob }) => ({ job_id: gatewayJob }) }),
  { method: 'POST', path: '/api/v1/gateway_deployments/', body: newTarget },
  get('/api/v1/user_db_deployments/'),
  get('/api/v1/user_db_deployments/<job_id>/', { ids: ({ userJob }) => ({ job_id: userJob }) }),
  { method: 'POST', path: '/api/v1/user_db_deployments/', body: newTarget },
  {
    method: 'PATCH',
    path: '/api/v1/alerts/<id>/',
    ids: async ({ database }) => ({ id: await addAlert(database, 1) }),
    body: () => ({ acknowledged: true }),
  },
  { method: 'POST', path: '/api/v1/alert_silences/', body: silence },
  { method: 'PATCH', path: '/api/v1/alert_silences/<id>/', ids: newSilence, body: () => ({ comment: 'another' }) },
  { method: 'DELETE', path: '/api/v1/alert_silences/<id>/', ids: newSilence },
  {
    method: 'POST',
    path: '/api/v1/agent_upgrades/',
    body: async (fixture) => ({ ...(await newTarget(fixture)), version: '9.0.0' }),
  },
]

/** Every resource of the REST API, in the order of the index. */
export const resources: readonly string[] = Object.values<Declaration>(declared)
  .filter(({ rest }) => rest !== 'none')
  .map(({ name }) => name)

export interface Form {
  readonly route: ListedRoute
  readonly path: string
  readonly name: string
}

/** Each line with each resource that it stands for, and in each of its forms. */
export const forms: readonly Form[] = table
  .flatMap((route) =>
    route.path.includes('<resource>')
      ? resources.map((resource) => ({ ...route, path: route.path.replace('<resource>', resource) }))
      : [route],
  )
  .flatMap((route) => {
    const plain = route.path.replace(/\/$/, '')
    return (plain === '' ? ['/'] : [plain, `${plain}/`]).map((path) => ({
      route,
      path,
      name: `${route.method} ${path}${route.query === undefined ? '' : `?${route.query}`}`,
    }))
  })

export const statusOf = ({ method, status = bySuccess[method] }: ListedRoute) => status
export const queryOf = ({ query }: ListedRoute) => (query === undefined ? '' : `?${query}`)
/** Its path in the OpenAPI document. */
export const templateOf = ({ path, documented }: ListedRoute) =>
  documented ??
  `${path
    .replaceAll(/<(?:\w+_)?id>/g, '{id}')
    .replaceAll(/<(\w+)>/g, '{$1}')
    .replace(/\/$/, '')}/`
