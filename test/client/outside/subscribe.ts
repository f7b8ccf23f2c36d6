// Subscribes to all there is with a key of its own, and prints what it saw as JSON. Then either closes the client
// (`close`) or revokes the key (`revoke`); in both cases it must end by itself.
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createClient, isClientError } from '@roost/api-types'

const { ROOST_URL: url = '', ROOST_DATA_DIR: data = '', NODE_ID, CLUSTER_ID, JOB_ID = '', END } = process.env
const ca = readFileSync(`${data}/ca.pem`, 'utf8')
const [node, cluster] = [Number(NODE_ID), Number(CLUSTER_ID)]

interface Seen {
  first: unknown
  /** When the stream ended, and what the subscriber received last. */
  cutMs: number | null
  end: string | null
}

let since = performance.now()
const elapsed = () => Math.round(performance.now() - since)

/** The messages of one subscription; `begun` once it has received one, `over` when it has ended. */
function follow() {
  const seen: Seen = { first: undefined, cutMs: null, end: null }
  const events = new EventEmitter()
  const end = (how: string) => {
    seen.end = how
    events.emit('over')
  }
  const handlers = {
    onData(said: unknown) {
      seen.first ??= said
      events.emit('begun')
    },
    onConnectionStateChange({ state }: { readonly state: string }) {
      if (state === 'connecting' && seen.first !== undefined) seen.cutMs ??= elapsed()
    },
    onComplete: () => end('complete'),
    onError: (error: unknown) => end(isClientError(error) ? (error.data?.code ?? error.message) : 'unknown'),
  }
  return { seen, begun: once(events, 'begun'), over: once(events, 'over'), handlers }
}

const admin = createClient({ url, ca, apiKey: readFileSync(`${data}/admin.apikey`, 'utf8') })
const operator = await admin.rpc.operators.create.mutate({ name: `watcher to ${END}`, role: 'read_only' })
const key = await admin.rpc.apiKeys.create.mutate({ operator: operator.id })
const { rpc, close } = createClient({ url, ca, apiKey: key.credentials })

const follows = { states: follow(), node: follow(), cluster: follow(), job: follow() }
const metrics = ['load.*']
rpc.nodes.states.subscribe(undefined, follows.states.handlers)
rpc.metrics.watchNode.subscribe({ id: node, metrics }, follows.node.handlers)
rpc.metrics.watchCluster.subscribe({ id: cluster, metrics }, follows.cluster.handlers)
rpc.gatewayDeployments.watch.subscribe({ id: JOB_ID }, follows.job.handlers)
await Promise.all(Object.values(follows).map(({ begun }) => begun))

since = performance.now()
if (END === 'revoke') await admin.rpc.apiKeys.revoke.mutate({ id: key.id })
else await close()
await Promise.all(Object.values(follows).map(({ over }) => over))
await admin.close()
const received = Object.entries(follows).map(([name, { seen }]) => [name, seen])
console.log(JSON.stringify(Object.fromEntries(received)))
