import { alertOf } from '@roost/api-types/checks'
import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift, SwiftNode } from '../support/swift/cluster.js'
import type { MachineProcess } from '../support/swift/machine.js'

/** The promise is two minutes on a machine of its own; here eight processors' work is done by two. */
const waitOptions = { timeout: 300_000, interval: 500 }

/** `code subject` on a node; the number is that of the fault that an operator makes. */
const faults = [
  ['1 container server of the first node', 'n1', 'server_down container-server 127.0.2.1:6201'],
  ['1 container server of the second node', 'n2', 'server_down container-server 127.0.2.2:6201'],
  ['2 object server', 'n1', 'server_down object-server 127.0.2.1:6200'],
  ['3 object replicator', 'n1', 'daemon_stopped object-replicator'],
  ['3 container replicator', 'n1', 'daemon_stopped container-replicator'],
  ['3 account replicator', 'n1', 'daemon_stopped account-replicator'],
  ['4 reconstructor', 'n1', 'daemon_stopped object-reconstructor'],
  ['5 object updater', 'n1', 'daemon_stopped object-updater'],
  ['5 container updater', 'n1', 'daemon_stopped container-updater'],
  ['6 object auditor', 'n1', 'daemon_stopped object-auditor'],
  ['6 container auditor', 'n1', 'daemon_stopped container-auditor'],
  ['6 account auditor', 'n1', 'daemon_stopped account-auditor'],
  ['7 sharder in a crash loop', 'n2', 'daemon_restarts container-sharder'],
  ['8 expirer', 'n1', 'daemon_stopped object-expirer'],
  ['9 another hash suffix', 'n2', 'swift_conf_mismatch store-n2'],
  ['10 another policy name', 'n2', 'policies_differ 1'],
  ['11 clock 300 s ahead', 'n2', 'clock_skew store-n2'],
  ['12 ring pushed to one node', 'n2', 'ring_mismatch object-1'],
  ['13 old update of a container', 'n1', 'async_pending d1'],
  ['14 quarantined object', 'n1', 'quarantined store-n1'],
  ['15 recon cache not written', 'n2', 'recon_stale /var/cache/swift/object.recon'],
] as const

const problemOf = (fault: string) => fault.split(' ')[0] ?? ''
const alertCodeOf = (problem: string) => alertOf(problem).code

const stopped = [
  'container-server',
  'object-server',
  'object-replicator',
  'container-replicator',
  'account-replicator',
  'object-updater',
  'container-updater',
  'object-auditor',
  'container-auditor',
  'account-auditor',
  'object-expirer',
]
/** Without one, the sharder ends at once. */
const internalClient = `[DEFAULT]
[pipeline:main]
pipeline = catch_errors cache proxy-server
[app:proxy-server]
use = egg:swift#proxy
[filter:cache]
use = egg:swift#memcache
[filter:catch_errors]
use = egg:swift#catch_errors
`
const oldUpdate = '/srv/node/d1/async_pending/a83'
const quarantine = '/srv/node/d1/quarantined/objects'

describe.skipIf(!isSwiftEnabled)('faults of a real Swift (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  let api: TestApi
  let cluster: number
  let agents: readonly [SwiftAgent, SwiftAgent]
  let one: SwiftNode
  let two: SwiftNode
  let reconstructor: MachineProcess
  let sharder: MachineProcess
  beforeAll(async () => {
    ;[swift, api] = await Promise.all([startSwift({ daemons: 'all' }), startApi()])
    ;[one, two] = swift.nodes
    cluster = await addCluster(api.database, 'real')
    await one.exec(`printf '\\n[object-reconstructor]\\ninterval = 5\\n' >> /etc/swift/object-server.conf`)
    await two.exec(`printf '\\n[container-sharder]\\ninterval = 5\\n' >> /etc/swift/container-server.conf`)
    await two.exec(`cat >/etc/swift/internal-client.conf <<'end'
${internalClient}end`)
    reconstructor = startReconstructor()
    sharder = two.spawn('swift-container-sharder', ['/etc/swift/container-server.conf'])
    agents = [await addSwiftAgent(swift, one, api, cluster), await addSwiftAgent(swift, two, api, cluster)]
    for (const agent of agents) agent.start()
    await shortenAlerts()
  }, 600_000)
  afterAll(async () => {
    for (const agent of agents) await agent.stop()
    await api.stop()
    await swift.stop()
  })

  function startReconstructor(): MachineProcess {
    return one.spawn('swift-object-reconstructor', ['/etc/swift/object-server.conf'])
  }

  interface Reason extends Readonly<Record<'code' | 'subject' | 'node', string>> {}

  /** `node: code subject` of each reason. Where folders are the devices, mount_check is off. */
  async function reasons(): Promise<readonly string[]> {
    const { body: nodes } = await api.get('/api/v1/nodes/')
    const hostnames = new Map<string, string>(
      nodes.objects.map((node: Record<string, string>) => [node.resource_uri, node.hostname]),
    )
    const { body } = await api.get(`/api/v1/clusters/${cluster}/health/`)
    return body.reasons
      .map(({ node, code, subject }: Reason) => `${hostnames.get(node)}: ${code} ${subject}`)
      .filter((name: string) => !name.includes('mount_check_off'))
  }

  /** The same, as the nodes and `/metrics` show it after the next round. */
  async function shown(): Promise<readonly [nodes: readonly string[], metrics: readonly string[]]> {
    await api.context.healthRounds.run()
    const { body } = await api.get('/api/v1/nodes/')
    const nodes = body.objects.flatMap(({ hostname, problems }: { hostname: string; problems: readonly Reason[] }) =>
      problems.map(({ code, subject }) => `${hostname}: ${code} ${subject}`),
    )
    const { text } = await api.get('/metrics')
    const lines = [...text.matchAll(/^roost_check\{code="([^"]*)".*,node="([^"]*)",subject="([^"]*)"\} 1$/gm)]
    return [nodes, lines.map(([, code, node, subject]) => `${node}: ${code} ${subject}`)]
  }

  const names = faults.map(([, node, fault]) => `store-${node}: ${fault}`)
  const present = (found: readonly string[]) => names.filter((name) => found.includes(name))

  it('are none at first: every daemon is seen', { timeout: 400_000 }, async () => {
    const isRead = async () => {
      const { body } = await api.get(`/api/v1/clusters/${cluster}/health/`)
      return body.nodes.filter(
        ({ quarantined }: { quarantined: { objects: number | null } }) => quarantined.objects === 0,
      ).length
    }
    await expect.poll(isRead, waitOptions).toBe(2)
    await expect.poll(reasons, waitOptions).toEqual([])
  })

  /** Alerts that begin after minutes begin at once. */
  async function shortenAlerts(): Promise<void> {
    for (const { code, forSeconds } of new Set(faults.map(([, , fault]) => alertOf(problemOf(fault)))))
      if (forSeconds > 0) await api.call('/api/v1/alert_rules/', { method: 'POST', body: { code, for_seconds: 0 } })
  }

  /** `node: CODE subject` of each alert in a state, after the next round. */
  async function alerts(state: Alert['state']): Promise<readonly string[]> {
    await api.context.healthRounds.run()
    const { body } = await api.get(`/api/v1/alerts/?state=${state}&of_control_plane=false&limit=500`)
    return body.objects.map(({ hostname, code, subject }: Alert) => `${hostname}: ${code} ${subject}`)
  }
  const alertNames = faults.map(([, node, fault]) => `store-${node}: ${fault.replace(/^\S+/, alertCodeOf)}`)

  async function makeFaults(): Promise<void> {
    await agents[1].stop()
    agents[1].start(undefined, 300)
    for (const name of stopped) await one.stop(name)
    await two.stop('container-server')
    await reconstructor.stop()
    await sharder.stop()
    await two.exec(`sed -i '/container-sharder/,$ s/interval = 5/interval = no number/' /etc/swift/container-server.conf
      sed -i 's/name = silver/name = stolen/; s/^\\(swift_hash_path_suffix = .*\\)/\\1x/' /etc/swift/swift.conf
      gzip -dc /etc/swift/object-1.ring.gz | gzip -1 -n > /tmp/new.ring.gz
      cat /tmp/new.ring.gz > /etc/swift/object-1.ring.gz
      chown root: /var/cache/swift && chmod 755 /var/cache/swift
      touch -d '2 hours ago' /var/cache/swift/object.recon`)
    sharder = two.spawn('sh', [
      '-c',
      'while :; do swift-container-sharder /etc/swift/container-server.conf; sleep 1; done',
    ])
    await one.exec(`mkdir -p ${oldUpdate} ${quarantine}/${'a'.repeat(32)}
      touch ${oldUpdate}/${'b'.repeat(32)}-$(date -d '3 hours ago' +%s).00000
      chown -R swift: /srv/node/d1/async_pending /srv/node/d1/quarantined`)
  }

  describe('once they are made', () => {
    let madeAt = 0
    beforeAll(async () => {
      await makeFaults()
      madeAt = performance.now()
    }, 400_000)

    it.each(faults)('%s: the health of the cluster has it', { timeout: 320_000 }, async (_name, node, fault) => {
      await expect.poll(reasons, waitOptions).toContain(`store-${node}: ${fault}`)
      expectPromised(`${fault} after all faults are made`, performance.now() - madeAt, 120_000)
    })

    it('are on the nodes and on /metrics, and the cluster is critical', { timeout: 320_000 }, async () => {
      const all = async () => (await shown()).map(present)
      await expect.poll(all, waitOptions).toEqual([names, names])
      const { body } = await api.get(`/api/v1/clusters/${cluster}/health/`)
      expect(body.verdict).toBe('critical')
    })

    it('are an alert each, of its node and subject', { timeout: 320_000 }, async () => {
      const missing = async () => {
        const firing = await alerts('firing')
        return alertNames.filter((name) => firing.filter((one) => one === name).length !== 1)
      }
      await expect.poll(missing, waitOptions).toEqual([])
    })
  })

  it('are gone after the cure', { timeout: 500_000 }, async () => {
    await one.exec(`rm -rf /srv/node/d1/async_pending ${quarantine}/*`)
    await sharder.stop('SIGKILL')
    await two.exec(`chown swift: /var/cache/swift
      sed -i 's/no number/5/' /etc/swift/container-server.conf
      sed -i 's/name = stolen/name = silver/; s/^\\(swift_hash_path_suffix = .*\\)x$/\\1/' /etc/swift/swift.conf
      cat ${swift.machine.dir}/rings/object-1.ring.gz > /etc/swift/object-1.ring.gz`)
    for (const name of stopped) await one.start(name)
    await two.start('container-server')
    reconstructor = startReconstructor()
    await agents[1].stop()
    // Its count of starts is that of ten minutes; a new agent begins with none.
    agents[1].start()
    sharder = two.spawn('swift-container-sharder', ['/etc/swift/container-server.conf'])
    await expect.poll(reasons, waitOptions).toEqual([])
    expect(sharder.output()).not.toContain('Unable to load internal client')
    expect(sharder.child.exitCode).toBeNull()
    await expect.poll(async () => (await shown()).map(present), waitOptions).toEqual([[], []])
  })

  it('are alerts that have ended, each of which began once', { timeout: 320_000 }, async () => {
    const open = async () => [...(await alerts('firing')), ...(await alerts('unknown')), ...(await alerts('pending'))]
    const left = async () => {
      const names = await open()
      return alertNames.filter((name) => names.includes(name))
    }
    await expect.poll(left, waitOptions).toEqual([])
    const resolved = await alerts('resolved')
    // What ends and begins again by itself may be seen while it does not run.
    const lasting = alertNames.filter((name) => !name.includes('DAEMON_RESTARTS'))
    expect(lasting.filter((name) => resolved.filter((one) => one === name).length !== 1)).toEqual([])
  })
})
